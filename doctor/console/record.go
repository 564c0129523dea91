package console

import "wsi/internal/tui"

// Record returns the findings as plain text of the terminal's width. It stays in the scrollback after the screens.
func (o Outcome) Record() string {
	if !o.Examined {
		return ""
	}
	m := o.m
	m.theme, m.backgroundKnown, m.width, m.height = tui.Plain(m.ASCII), false, max(m.width, tui.LeastWidth), tui.LeastHeight
	m.list.all, m.list.filter = false, ""
	m.hooks.open = false
	m.restore()
	m.run.going = false
	lines := []string{m.header(), ""}
	drawn, _ := m.lines(m.rows())
	lines = append(lines, drawn...)
	lines = append(lines, "", " "+m.counts())
	return tui.Record(lines)
}
