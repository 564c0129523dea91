package tui

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/table"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// List is a table with a cursor. The program fills it, and the shell draws it and moves the cursor.
type List struct {
	table table.Model
	at    int
	heads []string
	rows  [][]string
	drop  []int
}

// NewList returns an empty list.
func NewList() List {
	t := table.New(table.WithFocused(true), table.WithStyles(table.Styles{Cell: lipgloss.NewStyle().PaddingRight(2), Header: lipgloss.NewStyle().PaddingRight(2)}))
	keys := viewKeys()
	t.KeyMap = table.KeyMap{
		LineUp: keys.Up, LineDown: keys.Down, PageUp: keys.PageUp, PageDown: keys.PageDown,
		HalfPageUp: keys.HalfPageUp, HalfPageDown: keys.HalfPageDown, GotoTop: home, GotoBottom: end,
	}
	return List{table: t}
}

// Show sets the cells of the rows, and the headings, of which all can be empty. A list that is too narrow drops these columns, the first
// one first, and then cuts the widest cells.
func (l *List) Show(heads []string, rows [][]string, drop ...int) {
	l.heads, l.rows, l.drop = heads, rows, drop
	l.at = max(min(l.at, len(rows)-1), 0)
}

// Cursor returns the index of the row under the cursor.
func (l *List) Cursor() int { return l.at }

// At moves the cursor to a row, or to the first one if there is none.
func (l *List) At(row int) { l.at = max(row, 0) }

// headed reports whether a column has a heading.
func (l *List) headed() bool { return strings.Join(l.heads, "") != "" }

// lead is what precedes the first cell: a space, and the cursor.
const lead = 3

// fit draws the list for a size. Its first line has the headings.
func (l *List) fit(width, height int, t Theme) {
	widths, sum := l.widths(width)
	if over := sum - width; over > 0 {
		widest := slices.Index(widths, slices.Max(widths))
		widths[widest] = max(widths[widest]-over, 1)
	}
	columns := make([]table.Column, len(widths))
	for i, w := range widths {
		columns[i] = table.Column{Title: t.Faint.Render(l.heads[i]), Width: w}
	}
	columns[0].Title, columns[0].Width = strings.Repeat(" ", lead)+columns[0].Title, widths[0]+lead
	rows := make([]table.Row, len(l.rows))
	for i, cells := range l.rows {
		for at, cell := range cells {
			if cell = shorten(cell, widths[at], t); i == l.at {
				cell = t.Strong.Render(cell)
			}
			rows[i] = append(rows[i], cell)
		}
		cursor := "   "
		if i == l.at {
			cursor = " " + t.Accent.Render(t.Glyph("▸", ">")) + " "
		}
		rows[i][0] = cursor + rows[i][0]
	}
	sized := l.table.Height() == height-1
	l.table.SetColumns(columns)
	l.table.SetRows(rows)
	l.table.SetWidth(width)
	l.table.SetHeight(height)
	if !sized || l.table.Cursor() != l.at { // a table shows its cursor only where it has moved it by itself
		l.table.GotoTop()
		for range l.at {
			l.table.MoveDown(1)
		}
	}
}

// widths returns the widths of the columns, 0 for those that are dropped, and their sum.
func (l *List) widths(width int) (widths []int, sum int) {
	const gap = 2
	sum = lead
	for i, head := range l.heads {
		widths = append(widths, ansi.StringWidth(head))
		for _, cells := range l.rows {
			widths[i] = max(widths[i], ansi.StringWidth(cells[i]))
		}
		if widths[i] > 0 {
			sum += widths[i] + gap
		}
	}
	for _, i := range l.drop {
		if sum > width && widths[i] > 0 {
			sum -= widths[i] + gap
			widths[i] = 0
		}
	}
	return widths, sum
}

// shorten cuts a cell: a path in its middle, a sentence at its end.
func shorten(cell string, width int, t Theme) string {
	if strings.Contains(cell, " ") {
		return Cut(cell, width, t)
	}
	return Middle(cell, width, t)
}

// press moves the cursor, and reports whether k is a key for that.
func (l *List) press(k tea.KeyPressMsg) bool {
	m := l.table.KeyMap
	if !key.Matches(k, m.LineUp, m.LineDown, m.PageUp, m.PageDown, m.HalfPageUp, m.HalfPageDown, m.GotoTop, m.GotoBottom) {
		return false
	}
	l.table, _ = l.table.Update(k)
	l.At(l.table.Cursor())
	return true
}
