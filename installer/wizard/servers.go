package wizard

import (
	"slices"
	"strings"

	"wsi/harnesses"
	"wsi/installer"
	"wsi/installer/inspect"
	"wsi/internal/lists"
	"wsi/internal/tui"
)

// servers are the servers for which wsi is registered.
type servers struct {
	names   []string
	settled bool                // named by a flag or by the user, for every harness
	own     map[string][]string // if not settled: the proposed servers by harness id
	kept    *installer.Handles  // whose ids are kept; nil: as they are registered
}

// offer offers the servers of the harnesses in both lists. proposed returns those of a harness to carry values for; flag
// are those of a flag whose ids are kept, or nil.
func (c *choose) offer(proposed func(installer.Status) []string, flag *installer.Handles) {
	var all []harnesses.Presence
	var picked, keepable, registered []string
	for _, r := range c.rows {
		all = append(all, r.status.Presence)
		picked = append(picked, proposed(r.status)...)
		if r.harness.KeepsIDsBy(r.mode) {
			keepable = lists.AddUnique(keepable, r.keepable...)
		}
		registered = append(registered, r.status.Handles...)
	}
	if len(picked) == 0 {
		picked = c.carried.chosen()
	}
	c.carried.offer(append(inspect.Offer(all...), picked...), picked)
	if flag != nil {
		registered = flag.Of(keepable)
	}
	c.kept.offer(keepable, registered)
}

const (
	carryQuestion = "For which MCP servers should wsi carry values?"
	keepQuestion  = "Keep the ids of which MCP servers, to list them when a conversation was compacted?"
)

// aboutCarried returns the texts of the list of servers for which wsi carries values.
func (m model) aboutCarried() (question, explained string) {
	explained = "These are the names of the servers in the harnesses. Use --server for one that is not registered yet. A server without rules of its own gets those of workflow-server."
	if len(m.Options.RuledFor) > 0 {
		explained += " Rules are for " + visible(strings.Join(m.Options.RuledFor, ", ")) + "."
	}
	return carryQuestion, explained
}

// aboutKept returns the texts of the list of servers whose ids are kept.
func (m model) aboutKept() (question, explained string) {
	explained = "wsi then keeps the ids that these servers return. When a harness has compacted the conversation, wsi lists those that are in use. This needs no rules."
	var by []string
	for _, r := range m.choose.rows {
		if r.harness.KeepsIDs {
			by = append(by, r.harness.Name)
		}
	}
	if len(by) > 0 {
		explained += " It works with " + strings.Join(by, ", ") + ". By relay alone, wsi names an id only after a failed call."
	}
	return keepQuestion, explained
}

// wanted returns the chosen servers.
func (m model) wanted() servers {
	s := servers{m.choose.carried.chosen(), m.choose.carried.settled, map[string][]string{}, m.Options.Handles}
	for _, r := range m.choose.rows {
		s.own[r.harness.ID] = m.Options.Proposed(r.status)
	}
	if m.choose.kept.settled {
		s.kept = &installer.Handles{Names: m.choose.kept.chosen()}
	}
	return s
}

// wantedBy returns the servers that setup would register with one harness.
func (m model) wantedBy(r row) []string {
	if own := m.Options.Proposed(r.status); !m.choose.carried.settled && len(own) > 0 {
		return own
	}
	return m.choose.carried.chosen()
}

// viewKept says of which servers of a harness the ids are kept.
func (m model) viewKept(r row) []string {
	if !r.harness.KeepsIDsBy(r.mode) || len(r.keepable) == 0 {
		return nil
	}
	ids := r.status.Handles
	if k := m.wanted().kept; k != nil {
		ids = k.Of(r.keepable)
	}
	what := "across compaction"
	if !r.harness.HooksBy(r.mode, true) { // nothing tells the relay of a compaction
		what = "for failed calls"
	}
	said := "Ids of MCP servers are not kept " + what + " (i: keep them)."
	if len(ids) > 0 {
		said = "Ids of " + visible(strings.Join(ids, ", ")) + " are kept " + what + " (i: change)."
	}
	return tui.Indent(tui.Wrap(said, m.width-2))
}

// lacking returns the wanted servers that a harness is not configured with.
func lacking(p harnesses.Presence, wanted []string) []string {
	return slices.DeleteFunc(slices.Clone(wanted), func(s string) bool {
		return slices.ContainsFunc(p.Servers, func(known harnesses.Server) bool { return known.Name == s })
	})
}
