package console

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"wsi/doctor/report"
	"wsi/internal/phrase"
	"wsi/internal/tui"
)

// View draws a header, a body that fills the screen, the status and the keys.
func (m model) View() tea.View {
	return tui.View("wsi doctor", m.screen(), m.backgroundKnown)
}

func (m model) small() bool { return tui.Small(m.width, m.height) }

func (m model) screen() string {
	if m.small() {
		return tui.TooSmall("wsi doctor --plain", m.width, m.height)
	}
	status := m.status()
	body := tui.Fit(m.body(), m.width, m.height-2-len(status))
	return strings.Join([]string{m.header(), body, tui.Fit(status, m.width, len(status)), " " + tui.KeyLine(m.pressable(false), m.width-2, m.theme)}, "\n")
}

// bodyHeight returns the lines for rows: what the header, a blank line, the status and the keys leave.
func (m model) bodyHeight() int { return max(m.height-3-len(m.status()), 1) }

func (m model) body() []string {
	switch {
	case m.help:
		return m.viewHelp()
	case m.hooks.open:
		return m.shownHooks()
	case m.detail:
		lines := m.viewDetail()
		return lines[min(m.scrolled, max(len(lines)-m.bodyHeight()-1, 0)):]
	}
	rows := m.rows()
	if len(rows) == 0 {
		return []string{"", " nothing matches"}
	}
	lines, _ := m.lines(rows)
	return append([]string{""}, lines[min(m.list.top, len(lines)):]...)
}

// header shows what is examined, and for how long.
func (m model) header() string {
	_, n := m.board.counts(m.table)
	left, right := " "+m.theme.Strong.Render("wsi doctor"), m.theme.Faint.Render(m.elapsed())+" "
	if m.run.going {
		right = m.spinner.View() + " " + right
	}
	parts := []string{m.Version, m.Platform, phrase.Count(len(m.board.units), "harness"), phrase.Count(n, "check")}
	line := func() string {
		text := left
		for i, p := range parts {
			sep := " " + m.theme.Glyph("·", "-") + " "
			if i == 0 {
				sep = "  "
			}
			text += m.theme.Faint.Render(sep + p)
		}
		return text
	}
	for len(parts) > 0 && ansi.StringWidth(line())+ansi.StringWidth(right)+2 > m.width {
		parts = parts[1:]
	}
	gap := m.width - ansi.StringWidth(line()) - ansi.StringWidth(right)
	return line() + strings.Repeat(" ", max(gap, 1)) + right
}

// status is above the keys: a question, a notice, the filter, or the counts. It leaves at least one line for rows.
func (m model) status() []string {
	t := m.theme
	say := func(s tui.State, text string) []string {
		lines := tui.Indent(tui.Wrap(t.In(s, t.Symbol(s)+" "+text), m.width-2))
		return lines[:min(len(lines), max(m.height-4, 1))]
	}
	switch {
	case m.stopping:
		return []string{" " + m.spinner.View() + " stopping; nothing is left behind"}
	case m.confirm.asked:
		return say(tui.Attention, m.question())
	case m.notice.text != "":
		return say(m.notice.state, m.notice.text)
	case m.run.err != nil:
		return say(tui.Broken, m.Show(phrase.OneLine(m.run.err.Error())))
	case m.list.typing:
		return []string{" / " + m.list.filter + t.Accent.Render(t.Glyph("▏", "_"))}
	}
	left := " " + m.counts()
	if m.hooks.open {
		left = " " + m.hookCounts()
	} else if m.list.filter != "" {
		left = " " + t.Accent.Render("/ "+m.list.filter)
	}
	for _, right := range m.going() {
		gap := m.width - 1 - ansi.StringWidth(left) - ansi.StringWidth(right)
		if gap >= 2 {
			return []string{left + strings.Repeat(" ", gap) + t.Faint.Render(right)}
		}
	}
	return []string{left}
}

// counts shows the number of checks of each status.
func (m model) counts() string {
	n, _ := m.board.counts(m.table)
	dot := " " + m.theme.Glyph("·", "-") + " "
	say := func(state tui.State, n int, what string) string {
		text := fmt.Sprintf("%d %s", n, what)
		if n > 0 && state != tui.Absent {
			return m.theme.In(state, text)
		}
		return text
	}
	return say(tui.OK, n[report.OK], "ok") + dot + say(tui.Attention, n[report.Warn], "attention") + dot +
		say(tui.Broken, n[report.Fail], "broken") + dot + say(tui.Absent, n[report.Info]+n[report.Skip], "not checked")
}

// going returns the running check, or the number of lines below, in a long and a short form. It shares a line with the
// counts.
func (m model) going() []string {
	if m.run.going {
		for i := len(m.board.units) - 1; i >= 0; i-- {
			if u := m.board.units[i]; !u.ended && u.now != "" {
				return []string{u.now}
			}
		}
		return nil
	}
	if below := m.below(); below > 0 {
		down := m.theme.Glyph("↓ ", "v ")
		return []string{down + phrase.Count(below, "more line"), fmt.Sprint(down, below)}
	}
	return nil
}

// below returns the number of hidden lines below the visible ones.
func (m model) below() int {
	room := m.height - 3 // a header, a status of one line, the keys
	switch {
	case m.help:
		return len(m.viewHelp()) - room
	case m.hooks.open:
		lines := len(m.viewHooks())
		return lines - min(m.hooks.scrolled, max(lines-room, 0)) - room
	case m.detail:
		lines := len(m.viewDetail())
		return lines - min(m.scrolled, max(lines-room, 0)) - room
	}
	lines, _ := m.lines(m.rows())
	return len(lines) - m.list.top - (room - 1)
}

// pressable returns the active keys, the most important first, help and quit last. With explained it also returns
// those that do nothing on this row.
func (m model) pressable(explained bool) []key.Binding {
	k := m.keys
	var all []key.Binding
	switch {
	case m.stopping:
		return nil
	case m.help:
		return []key.Binding{tui.Does(k.Help, "back"), tui.Does(k.Quit, "back")}
	case m.confirm.asked:
		return []key.Binding{k.yes, k.no}
	case m.list.typing:
		return []key.Binding{tui.Does(k.enter, "keep"), tui.Does(k.cancel, "clear")}
	case m.hooks.open:
		what := "all harnesses"
		if m.hooks.harness == "" {
			what = "one harness"
		}
		return []key.Binding{tui.Does(k.cancel, "back"), k.Scroll, k.entries, tui.Does(k.all, what), k.Help, tui.Does(k.Quit, "back")}
	case m.detail:
		all = append(all, tui.Does(k.cancel, "back"), k.row, k.Scroll)
	case m.list.filter != "":
		all = append(all, tui.Does(k.cancel, "clear"), k.Move, k.enter)
	default:
		all = append(all, k.Move, k.enter)
	}
	if m.run.going {
		if m.run.before && !m.detail && m.list.filter == "" {
			all = append(all, k.cancel)
		}
	} else {
		if ok, _ := m.fixable(); ok || explained {
			all = append(all, k.fix)
		}
		all = append(all, k.again, k.live)
		if m.run.before {
			all = append(all, k.copy)
		}
	}
	all = append(all, k.hooks)
	if !m.detail {
		what := "all"
		if m.list.all {
			what = "what is wrong"
		}
		all = append(all, tui.Does(k.all, what), k.filter)
	}
	if m.detail {
		return append(all, k.Help, tui.Does(k.Quit, "back"))
	}
	return append(all, k.Help, k.Quit)
}
