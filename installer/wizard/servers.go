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
	named   []string // by a flag
	settled bool     // the user has chosen, or a flag that no proposal replaces
	ticked  bool     // the user has chosen here, so that what is not chosen is not registered
	before  []string // what was chosen when the list was opened
}

// offer lists the servers that a flag names, and these. Unless the choice is settled, it chooses those of proposed.
func (p *picker) offer(servers, proposed []string) {
	under := p.names[min(p.list.Cursor(), len(p.names)):]
	p.names = lists.AddUnique(p.named, servers...)
	p.list.At(slices.IndexFunc(p.names, func(name string) bool { return len(under) > 0 && name == under[0] }))
	if !p.settled {
		p.chosen = proposed
	}
	if p.sort(); len(p.chosen) == 0 { // what was chosen is not offered any more
		p.chosen = proposed
	}
}

// sort puts the chosen servers into the order of the list.
func (p *picker) sort() {
	chosen := p.chosen
	p.chosen = slices.DeleteFunc(slices.Clone(p.names), func(name string) bool { return !slices.Contains(chosen, name) })
}

// tick chooses the server under the cursor, or does not choose it any more.
func (m *model) tick() {
	p := &m.choose.servers
	p.settled, p.ticked = true, true
	name := p.names[p.list.Cursor()]
	switch i := slices.Index(p.chosen, name); {
	case i < 0:
		p.chosen = append(slices.Clip(p.chosen), name)
	case len(p.chosen) > 1:
		p.chosen = slices.Concat(p.chosen[:i], p.chosen[i+1:])
	default:
		m.hint = "select another server first"
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
	about := "wsi has rules for these servers, or they look like a workflow-server. Use --server for others."
	if slices.ContainsFunc(m.choose.rows, func(r row) bool { return r.mode == setup.ByRelay }) {
		about = "These are all servers of the harnesses that you wire by relay. Some may have no rules: " + installer.RelayGives
	}
	p := &m.choose.servers
	p.list.Show([]string{""}, lists.Map(p.names, func(name string) []string {
		return []string{m.choice(slices.Contains(p.chosen, name), name)}
	}))
	text := func(width int) []string { return tui.Indent(tui.Wrap(m.Theme.Faint.Render(about), width-2)) }
	lead := m.Theme.Strong.Render(carryQuestion)
	if m.hint != "" {
		lead = m.Theme.Say(tui.Attention, m.hint)
	}
	return tui.Page{Lead: m.Text(lead), List: &p.list, Text: text}
}

// ticked returns the servers that the user has chosen in the list, if any.
func (c *choose) ticked() []string {
	if !c.servers.ticked {
		return nil
	}
	return c.servers.chosen
}

// others returns the servers of the harnesses for which wsi carries no values. Only a relay can be in front of them.
func (c *choose) others(o installer.Options) []string {
	all := lists.Map(c.rows, func(r row) setup.Presence { return r.status.Presence })
	carried := o.Offer(all...)
	return lists.Filter(inspect.Offer(all...), func(name string) bool { return !slices.Contains(carried, name) })
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
