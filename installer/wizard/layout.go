package wizard

import (
	"fmt"
	"strings"
	"unicode"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"wsi/internal/phrase"
	"wsi/internal/printable"
	"wsi/internal/tui"
)

// View draws a header line, a body that fills the screen, and the keys.
func (m model) View() tea.View {
	return tui.View("wsi setup", m.screen(), m.backgroundKnown)
}

func (m model) screen() string {
	if m.small() {
		return tui.TooSmall("wsi setup --plain", m.width, m.height)
	}
	body := m.body()
	for i := range body {
		body[i] = tui.Cut(body[i], m.width, m.theme)
	}
	return strings.Join([]string{m.header(), tui.Fit(body, m.width, m.height-2), " " + tui.KeyLine(m.pressable(), m.width-2, m.theme)}, "\n")
}

func (m model) body() []string {
	switch {
	case m.help:
		return m.scrolledHelp()
	case m.step == choosing:
		return m.viewChoose()
	case m.step == reviewing:
		return m.viewReview()
	}
	return m.viewRun()
}

var steps = [...]string{"look", "choose", "review", "apply", "prove"}

// header draws the title and the current step.
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

// pressable returns the current keys, the most important first, help and quit last.
func (m model) pressable() []key.Binding {
	k := m.keys
	files := "write " + phrase.Count(len(m.review.Changes), "file")
	switch {
	case m.help:
		all := []key.Binding{tui.Does(k.Help, "back"), tui.Does(k.Quit, "back")}
		if m.helpEnd() > 0 {
			all = append([]key.Binding{k.Scroll}, all...)
		}
		return all
	case m.stopping:
		return nil
	case m.step == choosing && m.choose.picking:
		return []key.Binding{k.pickDone, k.Move, k.toggle}
	case m.step == choosing:
		all := []key.Binding{k.enter, k.toggle}
		if r := m.choose.rows[m.choose.cursor]; len(r.open) > 1 {
			all = append(all, k.mode)
		}
		return append(all, tui.Does(k.scope, "scope: "+string(m.choose.scope)), k.server, k.Move, k.Help, k.Quit)
	case m.step == reviewing:
		if len(m.review.Changes) == 0 {
			files = "prove that it works"
		}
		all := []key.Binding{tui.Does(k.enter, files)}
		if m.review.edited {
			all = append(all, tui.Does(k.replace, "replace: "+yesNo(m.review.replace)))
		}
		if m.review.trustable {
			all = append(all, tui.Does(k.trust, "trust: "+yesNo(m.review.trust)))
		}
		if m.review.noted() {
			all = append(all, k.notes)
		}
		return append(all, k.back, k.files, k.Scroll, k.Help, k.Quit)
	case m.step == done:
		return []key.Binding{tui.Does(k.enter, "leave"), k.Scroll, k.Help, k.Quit}
	}
	return []key.Binding{k.Help, k.Quit}
}

// longer has explanations for the help, of keys with a short word on the key line.
var longer = map[string]string{
	"w": "how wsi is connected: by hooks, a join or a relay",
	"s": "the scope: every project of yours, or this folder only",
	"v": "the MCP servers whose values are carried",
	"t": "record that you approve these hooks",
	"r": "replace edited files; backups are kept",
	"n": "all notes, not only the most important ones",
	"b": "back to the choice (also esc)",
	"q": "quit without writing anything more",
}

// scrolledHelp returns the visible part of the help.
func (m model) scrolledHelp() []string {
	lines := m.viewHelp()
	from := min(m.helpAt, m.helpEnd())
	below := len(lines) - from - (m.height - 2)
	if lines = lines[from:]; below > 0 {
		lines[m.height-3] = " " + m.theme.Faint.Render(fmt.Sprintf("%s%d more lines", m.theme.Glyph("↓ ", "v "), below+1))
	}
	return lines
}

// helpEnd returns the last scroll position of the help.
func (m model) helpEnd() int { return max(len(m.viewHelp())-(m.height-2), 0) }

// pressHelp scrolls the help; any other key closes it.
func (m model) pressHelp(k tea.KeyPressMsg) (tea.Model, tea.Cmd) {
	to, scrolls := m.keys.ScrollTo(k, m.helpAt, max(m.height-4, 1), m.helpEnd())
	m.help, m.helpAt = scrolls, to
	if !scrolls && m.step == reviewing { // the help covered it
		cmd := m.reading()
		return m, cmd
	}
	return m, nil
}

// viewHelp explains every key of the current step.
func (m model) viewHelp() []string {
	m.help = false
	all := m.pressable()
	switch {
	case m.step == reviewing:
		all = append([]key.Binding{m.keys.Page, m.keys.Ends, m.keys.previous}, all...)
	case m.step == choosing && !m.choose.picking:
		all = append([]key.Binding{m.keys.read}, all...)
	}
	lines := tui.KeyHelp(append(all, m.keys.Interrupt, m.keys.Suspend), longer, m.width, m.theme)
	lines = append(lines, "")
	return append(lines, tui.Indent(tui.Wrap(m.theme.Faint.Render("Nothing is written before you press enter on the review. wsi remove undoes all changes."), m.width-2))...)
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

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// chunks splits a text into pieces of a width, also inside words.
func chunks(s string, width int) (parts []string) {
	width = max(width, 10)
	for ansi.StringWidth(s) > width {
		part := ansi.Truncate(s, width, "")
		parts, s = append(parts, part), s[len(part):]
	}
	return append(parts, s)
}
