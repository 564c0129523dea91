package installer

import (
	"slices"

	"wsi/harnesses"
	"wsi/installer/inspect"
	"wsi/internal/lists"
)

// Offer returns the names of the MCP servers that harnesses are configured with, without duplicates: those
// that look like workflow-server first, disabled ones last.
func Offer(statuses []Status) []string {
	var likely, others, off []string
	for _, status := range statuses {
		for _, s := range status.Presence.Servers {
			switch {
			case s.Disabled:
				off = lists.AddUnique(off, s.Name)
			case inspect.LikelyServer(s):
				likely = lists.AddUnique(likely, s.Name)
			default:
				others = lists.AddUnique(others, s.Name)
			}
		}
	}
	return lists.AddUnique(lists.AddUnique(likely, others...), off...)
}

// Proposing returns the options for a setup without named servers. A harness with none to propose gets those of the
// other harnesses.
func (o Options) Proposing() Options {
	o.Keep, o.Own = true, map[string][]string{}
	var all []string
	for _, h := range o.Harnesses {
		p, _ := h.Find(o.Env) // its error is reported elsewhere
		o.Own[h.ID] = o.ruled(p)
		all = lists.AddUnique(all, o.Own[h.ID]...)
	}
	if len(all) > 0 {
		o.Program.Servers = all
	}
	return o
}

// Proposed returns the servers to propose for a harness: those for which wsi is registered, else its servers that have a
// rule.
func (o Options) Proposed(s Status) []string {
	if len(s.Servers) > 0 {
		return s.Servers
	}
	return o.ruled(s.Presence)
}

// ruled returns the servers of a harness that have a rule, in the order of Offer. It skips a name that cannot be put on a
// command line, for which setup would refuse the harness.
func (o Options) ruled(p harnesses.Presence) []string {
	return slices.DeleteFunc(Offer([]Status{{Presence: p}}), func(name string) bool {
		as := inspect.Placeholder(o.Env)
		as.Servers = []string{name}
		return o.Ruled == nil || !o.Ruled(name) || as.Check(o.Env.GOOS) != nil
	})
}

// program returns the program to register with a harness. now is its present registration.
func (o Options) program(h harnesses.Harness, now inspect.Registration) harnesses.Program {
	p, servers := o.Program, now.Servers()
	p.Servers = ordered(p.Servers, servers)
	switch own := o.Own[h.ID]; {
	case o.Keep && len(servers) > 0:
		p.Servers = servers
	case o.Keep && len(own) > 0:
		p.Servers = own
	}
	p.As = o.rulesFor(p.Servers, servers, now.Rules())
	return p
}

// rulesFor maps servers to other servers whose rules they use. The user's choice comes first, then the registered one,
// then workflow-server for a server that no rule names.
func (o Options) rulesFor(servers, registered []string, was map[string]string) (as map[string]string) {
	for _, name := range servers {
		of := o.Program.As[name]
		switch {
		case of != "":
		case slices.Contains(registered, name):
			of = was[name]
		case o.Named != nil && !o.Named(name):
			of = harnesses.DefaultServer
		}
		if of == "" {
			continue
		}
		if as == nil {
			as = map[string]string{}
		}
		as[name] = of
	}
	return as
}

// ordered returns the servers without duplicates, in the registered order if the set is the same: another order
// would change only the command line, which users would have to approve again.
func ordered(servers, registered []string) []string {
	servers = lists.AddUnique(nil, servers...)
	if sameSet(servers, registered) {
		return registered
	}
	return servers
}
