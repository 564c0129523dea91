package wizard

import (
	"slices"
	"strings"

	"wsi/harnesses/setup"
	"wsi/installer"
	"wsi/installer/inspect"
)

// servers are the servers for which wsi is registered.
type servers struct {
	names   []string
	settled bool                // named by a flag or by the user, for every harness
	own     map[string][]string // if not settled: the proposed servers by harness id
}

// offer offers the servers of the harnesses. proposed returns those of a harness to carry values for.
func (c *choose) offer(proposed func(installer.Status) []string) {
	var all []setup.Presence
	var picked []string
	for _, r := range c.rows {
		all = append(all, r.status.Presence)
		picked = append(picked, proposed(r.status)...)
	}
	if len(picked) == 0 {
		picked = c.servers.chosen()
	}
	c.servers.offer(append(inspect.Offer(all...), picked...), picked)
}

const carryQuestion = "For which MCP servers should wsi carry values?"

// aboutServers explains the list of servers.
func (m *model) aboutServers() string {
	explained := "These are the names of the servers in the harnesses. Use --server for one that is not registered yet. A server without rules of its own gets those of workflow-server."
	if len(m.Options.RuledFor) > 0 {
		explained += " Rules are for " + visible(strings.Join(m.Options.RuledFor, ", ")) + "."
	}
	return explained
}

// wanted returns the chosen servers.
func (m *model) wanted() servers {
	s := servers{m.choose.servers.chosen(), m.choose.servers.settled, map[string][]string{}}
	for _, r := range m.choose.rows {
		s.own[r.harness.ID] = m.Options.Proposed(r.status)
	}
	return s
}

// wantedBy returns the servers that setup would register with one harness.
func (m *model) wantedBy(r row) []string {
	if own := m.Options.Proposed(r.status); !m.choose.servers.settled && len(own) > 0 {
		return own
	}
	return m.choose.servers.chosen()
}

// lacking returns the wanted servers that a harness is not configured with.
func lacking(p setup.Presence, wanted []string) []string {
	return slices.DeleteFunc(slices.Clone(wanted), func(s string) bool {
		return slices.ContainsFunc(p.Servers, func(known setup.Server) bool { return known.Name == s })
	})
}
