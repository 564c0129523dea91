package tui

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"wsi/internal/phrase"
)

// Cell is [Cut], padded to the width.
func Cell(s string, width int, t Theme) string {
	return lipgloss.PlaceHorizontal(width, lipgloss.Left, Cut(s, width, t))
}

// Cut cuts a text to a width and ends it with an ellipsis.
func Cut(s string, width int, t Theme) string {
	return ansi.Truncate(s, width, t.Glyph("…", "..."))
}

// Middle cuts a path to a width by replacing its middle with an ellipsis.
func Middle(path string, width int, t Theme) string {
	dots := t.Glyph("…", "...")
	long, room := ansi.StringWidth(path), width-ansi.StringWidth(dots)
	if long <= width || room < 2 {
		return ansi.Truncate(path, width, "")
	}
	head := room / 3
	return ansi.Truncate(path, head, "") + dots + ansi.TruncateLeft(path, long-(room-head), "")
}

// Wrap breaks a text into lines at spaces. It does not break at hyphens, which are part of commands and flags, or
// at non-breaking spaces (U+00A0). A style that goes on over a break ends and begins again with each line.
func Wrap(s string, width int) []string {
	const stay = "\u2011" // non-breaking hyphen
	s = ansi.Wrap(strings.ReplaceAll(s, "-", stay), max(width, 10), "")
	lines := strings.Split(strings.NewReplacer(stay, "-", "\u00a0", " ").Replace(s), "\n")
	off, open := Own(""), ""
	for i, line := range lines {
		line = open + line
		if at := strings.LastIndex(line, strings.TrimSuffix(off, "m")); at >= 0 {
			open = line[at : at+strings.IndexByte(line[at:], 'm')+1]
		}
		if open == off {
			open = ""
		}
		if open != "" {
			line += off
		}
		lines[i] = line
	}
	return lines
}

// Hanging wraps a text at a width. The first line begins with lead, the others with as many spaces.
func Hanging(lead, text string, width int) (lines []string) {
	for _, line := range Wrap(text, width) {
		lines = append(lines, lead+line)
		lead = strings.Repeat(" ", ansi.StringWidth(lead))
	}
	return lines
}

// Fix is [Hanging] for a fix. Its command is on a line of its own, which is not wrapped, so that it can be copied.
func Fix(lead string, fix phrase.Fix, width int) (lines []string) {
	if fix.Text != "" && fix.Command != "" {
		lines, lead = Hanging(lead, fix.Text+":", width), strings.Repeat(" ", ansi.StringWidth(lead))
	} else if fix.Text != "" {
		return Hanging(lead, fix.Text, width)
	}
	return append(lines, lead+fix.Command)
}

// Indent puts a space before every line, in place.
func Indent(lines []string) []string {
	for i := range lines {
		lines[i] = " " + lines[i]
	}
	return lines
}

// Table returns the lines of each row of a table. The columns begin with a heading. Where they do not fit into the width, a row is its
// first cell, and below it the other cells, each after its heading; then the row of headings has no lines.
func Table(columns [][]string, width int) (rows [][]string) {
	const gap = "   "
	blocks := make([]string, 0, 2*len(columns))
	for _, c := range columns {
		blocks = append(blocks, lipgloss.JoinVertical(lipgloss.Left, c...), gap)
	}
	whole := lipgloss.JoinHorizontal(lipgloss.Top, blocks[:len(blocks)-1]...)
	if lipgloss.Width(whole) <= width {
		for line := range strings.SplitSeq(whole, "\n") {
			rows = append(rows, []string{line})
		}
		return rows
	}
	rows = append(rows, nil)
	for i := 1; i < len(columns[0]); i++ {
		var cells []string
		for _, c := range columns[1:] {
			if c[i] != "" {
				cells = append(cells, strings.ReplaceAll(ansi.Strip(c[0])+" "+c[i], " ", "\u00a0"))
			}
		}
		rows = append(rows, append([]string{columns[0][i]}, Hanging("    ", strings.Join(cells, "  "), width-4)...))
	}
	return rows
}
