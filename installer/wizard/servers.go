package wizard

import (
	"slices"

	"wsi/harnesses/setup"
	"wsi/installer"
	"wsi/installer/inspect"
	"wsi/internal/lists"
	"wsi/internal/tui"
)

// picker is a list of servers, of which the user chooses at least one.
type picker struct {
	names   []string
	chosen  []string
	list    tui.List
	settled bool     // the user has chosen, or a flag that no proposal replaces
	ticked  bool     // the user has chosen here, so that what is not chosen is not registered
	before  []string // what was chosen when the list was opened
}

// offer lists servers, in their order behind those that are in the list only. Harnesses are inspected at once, so that the
// order must not depend on which is ready first. Unless the choice is settled, offer chooses those of proposed.
func (p *picker) offer(servers, proposed []string) {
	under := p.names[min(p.list.Cursor(), len(p.names)):]
	p.names = slices.DeleteFunc(slices.Clone(p.names), func(name string) bool { return slices.Contains(servers, name) })
	p.names = append(p.names, lists.AddUnique(nil, servers...)...)
	p.list.At(slices.IndexFunc(p.names, func(name string) bool { return len(under) > 0 && name == under[0] }))
	if !p.settled {
		p.chosen = proposed
	}
	p.sort()
}

// sort puts the chosen servers into the order of the list.
func (p *picker) sort() {
	chosen := p.chosen
	p.chosen = slices.DeleteFunc(slices.Clone(p.names), func(name string) bool { return !slices.Contains(chosen, name) })
}

func (p *picker) toggle() {
	p.settled, p.ticked = true, true
	name := p.names[p.list.Cursor()]
	if i := slices.Index(p.chosen, name); i < 0 {
		p.chosen = append(slices.Clip(p.chosen), name)
	} else if len(p.chosen) > 1 {
		p.chosen = slices.Concat(p.chosen[:i], p.chosen[i+1:])
	}
	p.sort()
}

// offer offers the servers of the harnesses for which wsi can carry values, and all others of those that are wired by a relay.
func (c *choose) offer(o installer.Options) {
	var all, relayed []setup.Presence
	var picked, wired []string
	for _, r := range c.rows {
		all = append(all, r.status.Presence)
		if r.mode == setup.ByRelay {
			relayed = append(relayed, r.status.Presence)
		}
		picked, wired = append(picked, o.Proposed(r.status)...), append(wired, r.status.Servers...)
	}
	if len(picked) == 0 {
		picked = c.servers.chosen
	}
	if p := &c.servers; o.Adds {
		p.chosen = lists.AddUnique(p.chosen, wired...)
	}
	c.servers.offer(slices.Concat(o.Offer(all...), inspect.Offer(relayed...), picked), picked)
}

// openServers opens the list of servers, unless it is empty.
func (c *choose) openServers() {
	c.servers.list.At(0)
	c.servers.before, c.picking = c.servers.chosen, len(c.servers.names) > 0
}

func (m *model) picked() {
	m.choose.picking = false
	if p := m.choose.servers; !slices.Equal(p.before, p.chosen) {
		m.look()
	}
}

const carryQuestion = "For which MCP servers should wsi carry values?"

func (m *model) serverPage() tui.Page {
	about := "These are the servers in the harnesses that wsi has rules for, and those that look like a workflow-server. Use --server for others."
	if slices.ContainsFunc(m.choose.rows, func(r row) bool { return r.mode == setup.ByRelay }) {
		about = "These are all servers of the harnesses that are wired by a relay. What wsi relay does for one without rules: " + installer.RelayGives
	}
	p := &m.choose.servers
	p.list.Show([]string{""}, lists.Map(p.names, func(name string) []string {
		return []string{m.choice(slices.Contains(p.chosen, name), name)}
	}))
	text := func(width int) []string { return tui.Indent(tui.Wrap(m.Theme.Faint.Render(about), width-2)) }
	return tui.Page{Lead: m.Text(m.Theme.Strong.Render(carryQuestion)), List: &p.list, Text: text}
}

// wantedBy returns the servers that setup would register with one harness.
func (m *model) wantedBy(r row) []string {
	p := m.choose.servers
	if own := m.Options.Proposed(r.status); (!p.settled || m.Options.All && !p.ticked) && len(own) > 0 {
		return own
	}
	return p.chosen
}

// lacking returns the wanted servers that a harness is not configured with.
func lacking(p setup.Presence, wanted []string) []string {
	return slices.DeleteFunc(slices.Clone(wanted), func(s string) bool {
		return slices.ContainsFunc(p.Servers, func(known setup.Server) bool { return known.Name == s })
	})
}
