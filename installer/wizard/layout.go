package wizard

import (
	"fmt"
	"strings"
	"unicode"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"wsi/internal/frame"
	"wsi/internal/printable"
)

// The least room in which something can be shown.
const (
	leastWidth  = 40
	leastHeight = 10
)

// View draws a header line, a body that fills the screen, and the keys.
func (m model) View() tea.View {
	v := tea.NewView("")
	if m.lit { // nothing flashes up in the wrong colours
		v.Content = printable.Screen(m.screen())
	}
	v.AltScreen = true
	v.WindowTitle = "wsi setup"
	return v
}

func (m model) screen() string {
	if m.small() {
		return frame.Fit(frame.Wrap("This window is too small. Make it larger, or leave with q and use wsi setup --plain.", m.width), m.width, m.height)
	}
	body := m.cut(m.body(), m.height-2)
	return strings.Join([]string{m.header(), frame.Fit(body, m.width, m.height-2), " " + frame.KeyLine(m.pressable(), m.width-2, m.theme)}, "\n")
}

// cut says so where the window is too small for all there is to say.
func (m model) cut(lines []string, height int) []string {
	if len(lines) <= height {
		return lines
	}
	over := len(lines) - height + 1
	return append(lines[:height-1:height-1], " "+m.theme.Faint.Render(fmt.Sprintf("%s%d more lines; a larger window shows them", m.theme.Glyph("↓ ", "v "), over)))
}

func (m model) body() []string {
	switch {
	case m.help:
		return m.viewHelp()
	case m.step == choosing:
		return m.viewChoose()
	case m.step == reviewing:
		return m.viewReview()
	}
	return m.viewRun()
}

var steps = [...]string{"look", "choose", "review", "apply", "prove"}

// header says what this is and where in the journey one is.
func (m model) header() string {
	at := map[step]int{choosing: 1, reviewing: 2, applying: 3, proving: 4, done: 5}[m.step]
	if m.step == choosing && m.busy() && !m.pending {
		at = 0
	}
	var all []string
	for i, name := range steps {
		switch {
		case i < at:
			all = append(all, m.theme.Faint.Render(m.theme.Glyph("●", "*")+" "+name))
		case i == at:
			all = append(all, m.theme.Accent.Render(m.theme.Glyph("◐", ">")+" "+name))
		default:
			all = append(all, m.theme.Faint.Render(m.theme.Glyph("○", ".")+" "+name))
		}
	}
	left, right := " "+m.theme.Strong.Render("wsi setup"), strings.Join(all, "  ")
	gap := m.width - ansi.StringWidth(left) - ansi.StringWidth(right) - 1
	if gap < 2 {
		right = m.theme.Faint.Render(fmt.Sprintf("step %d of %d: ", min(at+1, len(steps)), len(steps))) + m.theme.Accent.Render(steps[min(at, len(steps)-1)])
		gap = max(m.width-ansi.StringWidth(left)-ansi.StringWidth(right)-1, 1)
	}
	return left + strings.Repeat(" ", gap) + right
}

// pressable are the keys of the moment, the most important first, help and quit last.
func (m model) pressable() []key.Binding {
	k := m.keys
	files := "write " + count(len(m.review.Changes), "file")
	switch {
	case m.help:
		return []key.Binding{does(k.help, "back"), does(k.quit, "back")}
	case m.stopping:
		return nil
	case m.step == choosing && m.choose.picking:
		return []key.Binding{k.pickDone, k.move, k.toggle}
	case m.step == choosing:
		all := []key.Binding{k.enter, k.toggle}
		if r := m.choose.rows[m.choose.cursor]; len(r.open) > 1 {
			all = append(all, k.way)
		}
		return append(all, does(k.scope, "scope: "+string(m.choose.scope)), k.server, k.move, k.help, k.quit)
	case m.step == reviewing:
		if len(m.review.Changes) == 0 {
			files = "prove that it works"
		}
		all := []key.Binding{does(k.enter, files)}
		if m.review.edited {
			all = append(all, does(k.replace, "replace: "+yesNo(m.review.replace)))
		}
		if m.review.trustable {
			all = append(all, does(k.trust, "trust: "+yesNo(m.review.trust)))
		}
		return append(all, k.back, k.files, k.scroll, k.help, k.quit)
	case m.step == done:
		return []key.Binding{does(k.enter, "leave"), k.scroll, k.help, k.quit}
	}
	return []key.Binding{k.help, k.quit}
}

// longer explains the keys whose word on the key line needs to be known already.
var longer = map[string]string{
	"w": "the way that wsi gets between model and server: by hooks, a join or a relay",
	"s": "the scope: every project of yours, or this folder only",
	"v": "the MCP servers whose values are carried",
	"t": "record, in your name, that you have looked at these hooks",
	"r": "replace what somebody has edited; it is kept among the backups",
	"b": "back, to choose otherwise (esc, too)",
	"q": "quit; what is not written yet is not written",
}

// viewHelp explains every key of the step.
func (m model) viewHelp() []string {
	m.help = false
	lines := []string{"", " " + m.theme.Strong.Render("Keys"), ""}
	all := m.pressable()
	if m.step == reviewing {
		all = append([]key.Binding{m.keys.page, m.keys.ends, m.keys.previous}, all...)
	}
	for _, b := range append(all, m.keys.interrupt, m.keys.suspend) {
		said := b.Help().Desc
		if more, ok := longer[b.Help().Key]; ok {
			said = more
		}
		lines = append(lines, "   "+m.theme.Accent.Render(frame.Pad(b.Help().Key, 12))+said)
	}
	lines = append(lines, "")
	return append(lines, frame.Indent(frame.Wrap(m.theme.Faint.Render("Nothing is written before you press enter on the review. Whatever was written is taken back with wsi remove."), m.width-2))...)
}

// visible replaces what would move the reader's terminal: what is shown comes from files.
func visible(s string) string {
	s = printable.Line(strings.ReplaceAll(s, "\t", "    "))
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, s)
}

func oneLine(s string) string { return visible(strings.Join(strings.Fields(s), " ")) }

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// chunks cuts a text into pieces of a width, without regard to words.
func chunks(s string, width int) (parts []string) {
	width = max(width, 10)
	for ansi.StringWidth(s) > width {
		part := ansi.Truncate(s, width, "")
		parts, s = append(parts, part), s[len(part):]
	}
	return append(parts, s)
}
