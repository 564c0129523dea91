package wizard

import (
	"slices"

	"wsi/internal/lists"
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

// picked closes the list.
func (m *model) picked() {
	m.choose.picking, m.choose.scrolled = false, 0
	if p := m.choose.servers; !slices.Equal(p.before, p.chosen()) {
		m.look()
	}
}

// listServers returns the open list.
func (m *model) listServers() listing {
	p := m.choose.servers
	l := listing{
		head:   append(append([]string{""}, m.Text(m.Theme.Strong.Render(carryQuestion))...), ""),
		cursor: p.cursor, scrolled: m.choose.scrolled,
		text: m.Text(m.Theme.Faint.Render(m.aboutServers())),
	}
	for i, n := range p.names {
		l.rows = append(l.rows, " "+m.cursor(i == p.cursor)+box(n.chosen)+" "+visible(n.server))
	}
	return l
}

// cursor draws the cursor, or nothing in its place.
func (m *model) cursor(here bool) string {
	if here {
		return m.Theme.Accent.Render(m.Theme.Glyph("▸", ">")) + " "
	}
	return "  "
}

func box(chosen bool) string {
	if chosen {
		return "[x]"
	}
	return "[ ]"
}
