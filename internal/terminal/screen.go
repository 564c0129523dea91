package terminal

import (
	"fmt"
	"image/color"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// Screen is what a terminal shows at one moment.
type Screen struct {
	Width, Height int
	Cursor        Cursor
	Title         string // of the window, as the program set it
	Alternate     bool   // the alternate screen is shown, which is gone when the program ends
	cells         []Cell
	above         []string
}

// Cursor is where the next character would be written.
type Cursor struct {
	X, Y    int
	Visible bool
}

// Cell is one place of the grid. A wide character takes two: the second has no text and width 0.
type Cell struct {
	Text  string // one grapheme; a blank is " "
	Width int
	Style
}

// Style is how a cell is drawn. A nil colour is the terminal's own.
type Style struct {
	Fg, Bg                                             color.Color
	Bold, Faint, Italic, Underline, Reverse, Strikeout bool
}

// Cell returns the cell in column x of row y, counted from 0; outside of the screen it is a blank.
func (s Screen) Cell(x, y int) Cell {
	if x < 0 || y < 0 || x >= s.Width || y >= s.Height {
		return Cell{Text: " ", Width: 1}
	}
	return s.cells[y*s.Width+x]
}

// Lines are the rows as text, without blanks at their ends, and without the empty rows at the end.
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

// Text is the screen as lines, each with its newline.
func (s Screen) Text() string {
	var b strings.Builder
	for _, line := range s.Lines() {
		b.WriteString(line + "\n")
	}
	return b.String()
}

// History is what one sees by scrolling back: the lines that left at the top, and the screen. The
// alternate screen has none.
func (s Screen) History() string {
	if len(s.above) == 0 || s.Alternate {
		return s.Text()
	}
	return strings.Join(s.above, "\n") + "\n" + s.Text()
}

// framed is for error messages.
func (s Screen) framed() string {
	rule := "+" + strings.Repeat("-", s.Width) + "+\n"
	return fmt.Sprintf("%s%s%s%dx%d, cursor %+v", rule, s.Text(), rule, s.Width, s.Height, s.Cursor)
}

// snapshot copies the emulator's screen.
func (e *emulator) snapshot() Screen {
	visible, told := e.modes[ansi.ModeTextCursorEnable]
	at := e.CursorPosition()
	s := Screen{
		Width: e.Width(), Height: e.Height(), Title: e.title, Alternate: e.IsAltScreen(),
		Cursor: Cursor{X: at.X, Y: at.Y, Visible: !told || visible},
	}
	s.cells = make([]Cell, 0, s.Width*s.Height)
	for y := range s.Height {
		for x := range s.Width {
			s.cells = append(s.cells, cell(e.CellAt(x, y)))
		}
	}
	for y := range e.ScrollbackLen() {
		var b strings.Builder
		for x := range s.Width {
			b.WriteString(cell(e.ScrollbackCellAt(x, y)).Text)
		}
		s.above = append(s.above, strings.TrimRight(b.String(), " "))
	}
	return s
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
