package wizard

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"wsi/internal/lists"
	"wsi/internal/tui"
)

// name is a server to choose.
type name struct {
	server string
	chosen bool
}

// picker is a list of servers, of which the user chooses at least one.
type picker struct {
	names   []name
	cursor  int
	settled bool     // the user has chosen, or a flag that no proposal replaces
	before  []string // what was chosen when the list was opened
}

// offer lists servers, in their order behind those that are in the list only. Harnesses are inspected at once, so that the
// order must not depend on which is ready first. Unless the choice is settled, offer chooses those of proposed.
func (p *picker) offer(servers, proposed []string) {
	was, under := p.names, ""
	if p.cursor < len(was) {
		under = was[p.cursor].server
	}
	p.names = slices.DeleteFunc(slices.Clone(was), func(n name) bool { return slices.Contains(servers, n.server) })
	for _, server := range lists.AddUnique(nil, servers...) {
		chosen := slices.Contains(was, name{server, true})
		p.names = append(p.names, name{server, chosen})
	}
	p.cursor = max(0, slices.IndexFunc(p.names, func(n name) bool { return n.server == under }))
	if p.settled {
		return
	}
	for i, n := range p.names {
		p.names[i].chosen = slices.Contains(proposed, n.server)
	}
}

func (p picker) chosen() (servers []string) {
	for _, n := range p.names {
		if n.chosen {
			servers = append(servers, n.server)
		}
	}
	return servers
}

func (p *picker) toggle() {
	if n := &p.names[p.cursor]; !n.chosen || len(p.chosen()) > 1 {
		n.chosen = !n.chosen
	}
	p.settled = true
}

// openServers opens the list of servers, unless it is empty.
func (c *choose) openServers() {
	p := &c.servers
	p.cursor, p.before = 0, p.chosen()
	c.picking, c.scrolled = len(p.names) > 0, 0
}

// pick handles a key in the open list.
func (m model) pick(k tea.KeyPressMsg) (tea.Model, tea.Cmd) {
	c, p := &m.choose, &m.choose.servers
	switch {
	case key.Matches(k, m.keys.Up):
		p.cursor = max(p.cursor-1, 0)
	case key.Matches(k, m.keys.Down):
		p.cursor = min(p.cursor+1, len(p.names)-1)
	case key.Matches(k, m.keys.PageUp, m.keys.PageDown) && !key.Matches(k, m.keys.toggle):
		l := m.layPick()
		l.page(key.Matches(k, m.keys.PageDown), m.height-2)
		c.scrolled = l.scrolled
	case key.Matches(k, m.keys.toggle):
		p.toggle()
	case key.Matches(k, m.keys.pickDone):
		c.picking, c.scrolled = false, 0
		if !slices.Equal(p.before, p.chosen()) {
			return m.lookAgain()
		}
	}
	return m, nil
}

// layPick returns the open list.
func (m model) layPick() listing {
	p, explained := m.choose.servers, m.aboutServers()
	l := listing{
		head:   append(append([]string{""}, tui.Indent(tui.Wrap(m.theme.Strong.Render(carryQuestion), m.width-2))...), ""),
		cursor: p.cursor, scrolled: m.choose.scrolled,
		text: tui.Indent(tui.Wrap(m.theme.Faint.Render(explained), m.width-2)),
	}
	for i, n := range p.names {
		cursor, box := "   ", "[ ] "
		if i == p.cursor {
			cursor = " " + m.theme.Accent.Render(m.theme.Glyph("▸", ">")) + " "
		}
		if n.chosen {
			box = "[x] "
		}
		l.rows = append(l.rows, cursor+box+visible(n.server))
	}
	return l
}
