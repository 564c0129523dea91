package console

import (
	"strings"

	"wsi/internal/tui"
)

// Record returns the findings as plain text of the terminal's width. It stays in the scrollback after the screens.
func (o Outcome) Record() string {
	if !o.Examined {
		return ""
	}
	m := o.m
	m.theme, m.backgroundKnown, m.width, m.height = tui.Plain(m.ASCII), false, max(m.width, leastWidth), leastHeight
	m.list.all, m.list.filter = false, ""
	m.restore()
	m.run.going = false
	lines := []string{m.header(), ""}
	drawn, _ := m.lines(m.rows())
	lines = append(lines, drawn...)
	lines = append(lines, "", " "+m.counts())
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}
