package terminal

import (
	"fmt"
	"image/color"
	"regexp"
	"slices"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// Screen is the content of a terminal at one moment.
type Screen struct {
	Width, Height int
	Cursor        Cursor
	Title         string // the window title that the program set
	Alternate     bool   // this is the alternate screen, which disappears when the program ends
	cells, above  []Cell // row by row; above has the lines that scrolled off the top
}

// Cursor is the position of the next character.
type Cursor struct {
	X, Y    int
	Visible bool
}

// Cell is one cell of the grid. A wide character takes two, of which the second has no text and width 0.
type Cell struct {
	Text  string // one grapheme; an empty cell has " "
	Width int
	Style
}

// Style is the style of a cell. A nil color is the terminal's default.
type Style struct {
	Fg, Bg                                             color.Color
	Bold, Faint, Italic, Underline, Reverse, Strikeout bool
}

// Cell returns the cell in column x of row y, counted from 0. Outside the screen it returns an empty cell.
func (s Screen) Cell(x, y int) Cell {
	if x < 0 || y < 0 || x >= s.Width || y >= s.Height {
		return Cell{Text: " ", Width: 1}
	}
	return s.cells[y*s.Width+x]
}

// Lines returns the rows as text, without trailing spaces and without trailing empty rows.
func (s Screen) Lines() []string {
	lines := make([]string, s.Height)
	used := 0
	for y := range lines {
		var b strings.Builder
		for x := range s.Width {
			b.WriteString(s.Cell(x, y).Text)
		}
		if lines[y] = strings.TrimRight(b.String(), " "); lines[y] != "" {
			used = y + 1
		}
	}
	return lines[:used]
}

// Text returns the screen as lines, each with a newline.
func (s Screen) Text() string {
	var b strings.Builder
	for _, line := range s.Lines() {
		b.WriteString(line + "\n")
	}
	return b.String()
}

// Replace returns the screen with every match of a pattern replaced, one character for each cell of the match. It
// does not find matches across rows.
func (s Screen) Replace(pattern *regexp.Regexp, with func(found string) string) Screen {
	s.cells = slices.Clone(s.cells)
	for y := range s.Height {
		var row strings.Builder
		var at []int // of each byte of the row, its cell
		for x := range s.Width {
			i := y*s.Width + x
			row.WriteString(s.cells[i].Text)
			at = append(at, slices.Repeat([]int{i}, len(s.cells[i].Text))...)
		}
		for _, m := range pattern.FindAllStringIndex(row.String(), -1) {
			i, last := at[m[0]], at[m[1]-1]
			for _, r := range with(row.String()[m[0]:m[1]]) {
				if i <= last {
					s.cells[i].Text = string(r)
					i++
				}
			}
		}
	}
	return s
}

// History returns the scrollback and the screen as one high screen. The alternate screen has no scrollback.
func (s Screen) History() Screen {
	if s.Alternate {
		return s
	}
	rows := len(s.above) / max(s.Width, 1)
	s.cells, s.above = slices.Concat(s.above, s.cells), nil
	s.Height += rows
	s.Cursor.Y += rows
	return s
}

// Rows returns a part of the screen: so many rows from a row on.
func (s Screen) Rows(from, height int) Screen {
	s.cells = s.cells[from*s.Width : (from+height)*s.Width]
	s.Height, s.Cursor.Y = height, s.Cursor.Y-from
	return s
}

// dump returns the screen for an error message.
func (s Screen) dump() string {
	rule := "+" + strings.Repeat("-", s.Width) + "+\n"
	return fmt.Sprintf("%s%s%s%dx%d, cursor %+v", rule, s.Text(), rule, s.Width, s.Height, s.Cursor)
}

// snapshot copies the emulator's screen.
func (e *emulator) snapshot() Screen {
	visible, known := e.modes[ansi.ModeTextCursorEnable]
	at := e.CursorPosition()
	s := Screen{
		Width: e.Width(), Height: e.Height(), Title: e.title, Alternate: e.IsAltScreen(),
		Cursor: Cursor{X: at.X, Y: at.Y, Visible: !known || visible},
	}
	s.cells = cells(s.Width, s.Height, e.CellAt)
	s.above = cells(s.Width, e.ScrollbackLen(), e.ScrollbackCellAt)
	return s
}

func cells(w, h int, at func(x, y int) *uv.Cell) []Cell {
	all := make([]Cell, 0, w*h)
	for y := range h {
		for x := range w {
			all = append(all, cell(at(x, y)))
		}
	}
	return all
}

func cell(c *uv.Cell) Cell {
	if c == nil {
		return Cell{Text: " ", Width: 1}
	}
	has := func(attr uint8) bool { return c.Style.Attrs&attr != 0 }
	out := Cell{Text: c.Content, Width: c.Width, Style: Style{
		Fg: c.Style.Fg, Bg: c.Style.Bg,
		Bold: has(uv.AttrBold), Faint: has(uv.AttrFaint), Italic: has(uv.AttrItalic),
		Reverse: has(uv.AttrReverse), Strikeout: has(uv.AttrStrikethrough),
		Underline: c.Style.Underline != uv.UnderlineNone,
	}}
	if has(uv.AttrConceal) || out.Text == "" && out.Width > 0 {
		out.Text = strings.Repeat(" ", out.Width)
	}
	return out
}
