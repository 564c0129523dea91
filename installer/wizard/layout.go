package wizard

import (
	"fmt"
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

var steps = [...]string{"look", "choose", "review", "apply", "prove"}

// Header draws the title and the current step.
func (m *model) Header() string {
	t := m.Theme
	at := map[step]int{choosing: 1, reviewing: 2, applying: 3, proving: 4, done: 5}[m.step]
	if m.step == choosing && m.Busy() && !m.pending {
		at = 0
	}
	var all []string
	for i, name := range steps {
		switch {
		case i < at:
			all = append(all, t.Faint.Render(t.Glyph("●", "*")+" "+name))
		case i == at:
			all = append(all, t.Accent.Render(t.Glyph("◐", ">")+" "+name))
		default:
			all = append(all, t.Faint.Render(t.Glyph("○", ".")+" "+name))
		}
	}
	left, right := " "+t.Strong.Render("wsi setup"), strings.Join(all, "  ")
	if ansi.StringWidth(left)+ansi.StringWidth(right)+3 > m.Width {
		right = t.Faint.Render(fmt.Sprintf("step %d of %d: ", min(at+1, len(steps)), len(steps))) + t.Accent.Render(steps[min(at, len(steps)-1)])
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
