package tui

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

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

// SideBySide puts two texts side by side, the left one width columns wide, with a line between them. They must have the same number of lines.
func SideBySide(left string, width int, right string, t Theme) []string {
	left = lipgloss.PlaceHorizontal(width, lipgloss.Left, left)
	line := strings.TrimSuffix(strings.Repeat(t.Faint.Render(t.Glyph(" │", " |"))+"\n", lipgloss.Height(left)), "\n")
	return strings.Split(lipgloss.JoinHorizontal(lipgloss.Top, left, line, right), "\n")
}
