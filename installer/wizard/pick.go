package wizard

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"wsi/harnesses"
	"wsi/installer"
	"wsi/installer/inspect"
	"wsi/internal/tui"
)

// name is a server to choose.
type name struct {
	server string
	chosen bool
}

// offer adds the servers of the harnesses to the list, and selects the proposed ones unless the user or a flag has
// selected others.
func (c *choose) offer(proposed func(installer.Status) []string) {
	var all []harnesses.Presence
	var picked []string
	for _, r := range c.rows {
		all = append(all, r.status.Presence)
		picked = append(picked, proposed(r.status)...)
	}
	for _, server := range append(inspect.Offer(all...), picked...) {
		if !slices.ContainsFunc(c.names, func(n name) bool { return n.server == server }) {
			c.names = append(c.names, name{server: server})
		}
	}
	if c.settled || len(picked) == 0 {
		return
	}
	for i, n := range c.names {
		c.names[i].chosen = slices.Contains(picked, n.server)
	}
}

// pick handles a key in the list of servers.
func (m model) pick(k tea.KeyPressMsg) (tea.Model, tea.Cmd) {
	c := &m.choose
	switch {
	case key.Matches(k, m.keys.up):
		c.pickedAt = max(c.pickedAt-1, 0)
	case key.Matches(k, m.keys.down):
		c.pickedAt = min(c.pickedAt+1, len(c.names)-1)
	case key.Matches(k, m.keys.pageUp, m.keys.pageDown) && !key.Matches(k, m.keys.toggle):
		l := m.layPick()
		l.page(key.Matches(k, m.keys.pageDown), m.height-2)
		c.scrolled = l.scrolled
	case key.Matches(k, m.keys.toggle):
		n := &c.names[c.pickedAt]
		n.chosen = !n.chosen || len(c.servers()) == 1 // at least one is selected
		c.settled = true
	case key.Matches(k, m.keys.pickDone):
		c.picking, c.scrolled = false, 0
		if !slices.Equal(c.before, c.servers()) {
			return m.lookAgain()
		}
	}
	return m, nil
}

// layPick returns the list of servers.
func (m model) layPick() listing {
	explained := "These are the names of the servers in the harnesses. Use --server for one that is not registered yet. A server without rules of its own gets those of workflow-server."
	if len(m.Options.RuledFor) > 0 {
		explained += " Rules are for " + visible(strings.Join(m.Options.RuledFor, ", ")) + "."
	}
	l := listing{
		head:   append(append([]string{""}, tui.Indent(tui.Wrap(m.theme.Strong.Render("For which MCP servers should wsi carry values?"), m.width-2))...), ""),
		cursor: m.choose.pickedAt, scrolled: m.choose.scrolled,
		text: tui.Indent(tui.Wrap(m.theme.Faint.Render(explained), m.width-2)),
	}
	for i, n := range m.choose.names {
		cursor, box := "   ", "[ ] "
		if i == m.choose.pickedAt {
			cursor = " " + m.theme.Accent.Render(m.theme.Glyph("▸", ">")) + " "
		}
		if n.chosen {
			box = "[x] "
		}
		l.rows = append(l.rows, cursor+box+visible(n.server))
	}
	return l
}
