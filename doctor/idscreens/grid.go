package idscreens

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"wsi/internal/tui"
)

// grid is a table that leaves out columns where a window is narrow.
type grid struct {
	heads    []string
	rows     [][]string
	optional []string // heads of columns that may be left out, the first one first

	widths []int // as of fit; 0 = left out
}

const (
	between = 2  // room between two columns
	widest  = 40 // a column: enough for a UUID
)

// fit computes the widths of the columns so that a line is at most this wide: first without optional columns, then
// with the widest ones cut.
func (g *grid) fit(width int) {
	g.widths = make([]int, len(g.heads))
	for i, head := range g.heads {
		g.widths[i] = ansi.StringWidth(head)
		for _, row := range g.rows {
			g.widths[i] = max(g.widths[i], min(ansi.StringWidth(row[i]), widest))
		}
	}
	for _, head := range g.optional {
		if g.width() <= width {
			return
		}
		g.widths[slices.Index(g.heads, head)] = 0
	}
	for g.width() > width {
		g.widths[slices.Index(g.widths, slices.Max(g.widths))]--
	}
}

// width returns the width of a line.
func (g *grid) width() (n int) {
	for _, w := range g.widths {
		if w > 0 {
			n += w + between
		}
	}
	return n - between
}

// line draws the cells of a row.
func (g *grid) line(cells []string, t tui.Theme) string {
	var parts []string
	for i, w := range g.widths {
		if w > 0 {
			parts = append(parts, tui.Cell(cells[i], w, t))
		}
	}
	return strings.Join(parts, strings.Repeat(" ", between))
}
