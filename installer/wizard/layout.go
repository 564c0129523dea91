package wizard

import (
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

// listing is a list with a cursor, and a text below it.
type listing struct {
	head, rows, text []string
	cursor, scrolled int // the row under the cursor; how many lines the user has scrolled down
}

// all returns all lines, and the first one that is shown: of those that fit a height, one is the row under the cursor, unless the
// user has scrolled.
func (l listing) all(height int) (lines []string, from int) {
	lines = slices.Concat(l.head, l.rows, []string{""}, l.text)
	from = max(len(l.head)+l.cursor+2-height, 0) + l.scrolled
	return lines, max(min(from, len(lines)-height), 0)
}

// page returns how far the user has scrolled after one page more or less.
func (l listing) page(down bool, height int) int {
	if !down {
		return max(l.scrolled-height+2, 0)
	}
	lines, from := l.all(height)
	return l.scrolled + max(min(height-2, len(lines)-height-from), 0)
}

func (l listing) lines(height int, t tui.Theme) []string {
	lines, from := l.all(height)
	if below := len(lines) - height - from; below > 0 {
		lines[from+height-1] = " " + t.Faint.Render(t.Down(phrase.Count(below+1, "more line")+": pgdn"))
	}
	return lines[from:]
}
