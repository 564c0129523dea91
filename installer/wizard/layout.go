package wizard

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"wsi/internal/phrase"
	"wsi/internal/printable"
	"wsi/internal/tui"
)

// Body draws the current step.
func (m *model) Body() (lines []string) {
	switch m.step {
	case choosing:
		lines = m.list().lines(m.BodyHeight(m), m.Theme)
	case reviewing:
		lines = m.viewReview()
	default:
		lines = m.viewRun()
	}
	for i := range lines {
		lines[i] = tui.Cut(lines[i], m.Width, m.Theme)
	}
	return lines
}

// Status returns nothing: the steps have it in their bodies.
func (m *model) Status() []string { return nil }

// Header draws the title and the steps, or in a narrow window only the current one.
func (m *model) Header() string {
	t, title, steps, at := m.Theme, "wsi setup", []string{"choose", "review", "result"}, 2
	switch m.step {
	case choosing:
		at = 0
	case reviewing:
		at = 1
	case applying, proving, done:
	}
	if m.Removal {
		title, steps, at = "wsi remove", steps[1:], at-1
	}
	current := t.Accent.Render(t.Glyph("● ", "* ") + steps[at])
	for i, name := range steps {
		if steps[i] = t.Faint.Render(name); i == at {
			steps[i] = current
		}
	}
	left, right := " "+t.Strong.Render(title), strings.Join(steps, t.Faint.Render(t.Glyph(" · ", " - ")))
	if ansi.StringWidth(left)+ansi.StringWidth(right)+3 > m.Width {
		right = current
	}
	return tui.Spread(left, right, m.Width-1)
}

// visible replaces characters that would control the terminal, because the texts come from files.
func visible(s string) string {
	s = printable.Line(strings.ReplaceAll(s, "\t", "    "))
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, s)
}

func oneLine(s string) string { return visible(phrase.OneLine(s)) }

// leastName is the minimum width of the column of names.
const leastName = 12

// listing is a list with a cursor, and a text below it. If they do not fit, it shows the part of the list with the
// cursor, and the text from the scrolled line.
type listing struct {
	head, rows, text []string
	cursor, scrolled int
}

// rooms returns the head, the number of rows and the number of text lines that fit a height.
func (l listing) rooms(height int) (head []string, rows, text int) {
	head = l.head
	room := height - len(head) - 1
	if len(l.rows)+len(l.text) <= room {
		return head, len(l.rows), len(l.text)
	}
	if height < 14 && len(head) > 0 && head[0] == "" { // save a line
		head, room = head[1:], room+1
	}
	rows = min(len(l.rows), max(room-len(l.text), room-max(room/3, 3), 3))
	return head, rows, min(max(room-rows, 0), len(l.text))
}

// page returns where the text is scrolled to by its visible lines less one.
func (l listing) page(down bool, height int) int {
	_, _, seen := l.rooms(height)
	step := max(seen-1, 1)
	if !down {
		step = -step
	}
	return max(min(l.scrolled+step, len(l.text)-seen), 0)
}

func (l listing) lines(height int, t tui.Theme) []string {
	head, rows, text := l.rooms(height)
	from := tui.Window(len(l.rows), l.cursor, rows)
	scrolled := max(min(l.scrolled, len(l.text)-text), 0)
	between := ""
	if rows < len(l.rows) {
		between = fmt.Sprintf("%d of %d", l.cursor+1, len(l.rows))
	}
	if below := len(l.text) - scrolled - text; below > 0 {
		between += "  " + t.Down(phrase.Count(below, "more line")+": pgdn")
	} else if scrolled > 0 {
		between += "  " + t.Glyph("↑ ", "^ ") + phrase.Count(scrolled, "line") + " above: pgup"
	}
	return slices.Concat(head, l.rows[from:from+rows], []string{t.Faint.Render(" " + between)}, l.text[scrolled:scrolled+text])
}
