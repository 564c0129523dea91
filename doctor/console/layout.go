package console

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"wsi/doctor/report"
	"wsi/internal/phrase"
	"wsi/internal/tui"
)

// Body returns what is open: the hooks, a detail or the list.
func (m *model) Body() []string {
	if lines, first := m.page(); first != nil {
		return lines[min(*first, max(len(lines)-m.BodyHeight(m), 0)):]
	}
	rows := m.rows()
	if len(rows) == 0 {
		return []string{"", " nothing matches"}
	}
	lines, _ := m.lines(rows)
	return append(m.verdict(), lines[min(m.list.top, len(lines)):]...)
}

// verdict sums up the last examination, once it has ended. A question may leave no room for it.
func (m *model) verdict() []string {
	switch told := m.confirm.asked || m.notice.text != "" || m.run.err != nil; {
	case m.run.going || !m.run.before:
		return []string{""}
	case told && m.Height < 16 && !m.recorded:
		return nil
	}
	worst, text := m.run.report.Verdict()
	return m.Text(m.Theme.In(states[worst], text))
}

// listHeight returns the number of lines for rows.
func (m *model) listHeight() int { return m.BodyHeight(m) - len(m.verdict()) }

// Header shows what is examined, and for how long.
func (m *model) Header() string {
	right := m.Theme.Faint.Render(m.elapsed()) + " "
	if m.run.going {
		right = m.Spinner() + " " + right
	}
	parts := []string{m.Version, m.Platform, phrase.Count(len(m.board)-1, "harness"), phrase.Count(sum(m.board.counts()), "check")}
	for {
		left, sep := " "+m.Theme.Strong.Render("wsi doctor"), "  "
		for _, p := range parts {
			left += m.Theme.Faint.Render(sep + p)
			sep = m.dot()
		}
		if len(parts) == 0 || ansi.StringWidth(left)+ansi.StringWidth(right)+2 <= m.Width {
			return tui.Spread(left, right, m.Width)
		}
		parts = parts[1:]
	}
}

func (m *model) dot() string { return " " + m.Theme.Glyph("·", "-") + " " }

// Status is a question, a notice, the filter, or the counts. It leaves at least one line for rows.
func (m *model) Status() []string {
	t := m.Theme
	say := func(s tui.State, text string) []string {
		lines := m.Text(t.Say(s, text))
		return lines[:min(len(lines), max(m.Height-4, 1))]
	}
	counts := m.counts()
	for len(counts) > 1 && ansi.StringWidth(strings.Join(counts, m.dot())) > m.Width-2 {
		counts = counts[:len(counts)-1]
	}
	left := " " + strings.Join(counts, m.dot())
	switch {
	case m.Stopping():
		return []string{" " + m.Spinner() + " stopping; nothing is left behind"}
	case m.confirm.asked:
		return say(tui.Attention, m.question())
	case m.notice.text != "":
		return say(m.notice.state, m.notice.text)
	case m.run.err != nil:
		return say(tui.Broken, m.Show(phrase.OneLine(m.run.err.Error())))
	case m.list.typing:
		return []string{" / " + m.list.filter + t.Accent.Render(t.Glyph("▏", "_"))}
	case m.hooks.open:
		left = " " + m.hooks.shown().Sum("")
	case m.list.filter != "":
		left = " " + t.Accent.Render("/ "+m.list.filter)
	}
	for _, right := range m.going() {
		if ansi.StringWidth(left)+ansi.StringWidth(right)+2 < m.Width {
			return []string{tui.Spread(left, t.Faint.Render(right), m.Width-1)}
		}
	}
	return []string{left}
}

// counts returns the number of checks of each status.
func (m *model) counts() []string {
	n := m.board.counts()
	words := report.Tally(n)
	for i, status := range []report.Status{report.OK, report.Warn, report.Fail} {
		if n[status] > 0 {
			words[i] = m.Theme.In(states[status], words[i])
		}
	}
	return words
}

// going returns the running check, or the number of lines below, in a long and a short form. It shares a line with the
// counts.
func (m *model) going() []string {
	for i := len(m.board) - 1; i > 0 && m.run.going; i-- {
		if s := m.board[i]; !s.ended && s.now != "" {
			return []string{s.now}
		}
	}
	if below := m.below(); below > 0 && !m.run.going {
		return []string{m.Theme.Down(phrase.Count(below, "more line")), m.Theme.Down(strconv.Itoa(below))}
	}
	return nil
}

func (m *model) below() int {
	room := m.Height - 3 // a header, a status of one line, the keys
	if m.Helping {
		return 0
	}
	if lines, first := m.page(); first != nil {
		return len(lines) - min(*first, max(len(lines)-room, 0)) - room
	}
	lines, _ := m.lines(m.rows())
	return len(lines) - m.list.top - (room - len(m.verdict()))
}
