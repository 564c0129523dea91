package installer

import (
	"cmp"
	"fmt"
	"slices"

	"wsi/harnesses"
	"wsi/installer/inspect"
	"wsi/installer/refusal"
	"wsi/internal/lists"
)

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

// ruled returns the servers of a harness that have a rule, in the order of Offer. It skips a name that cannot be put on a
// command line, for which setup would refuse the harness.
func (o Options) ruled(p harnesses.Presence) []string {
	return slices.DeleteFunc(inspect.Offer(p), func(name string) bool {
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
	case o.Keep && len(o.carried(now)) > 0:
		p.Servers = o.carried(now)
	case o.Keep && len(own) > 0:
		p.Servers = own
	}
	p.As = o.rulesFor(p.Servers, servers, now.Rules())
	p.Handles = o.handles(h, now)
	return p
}

// carried returns the registered servers without those that a relay serves only for their ids.
func (o Options) carried(now inspect.Registration) []string {
	all, kept, as := now.Servers(), now.Handles(), now.Rules()
	if now.Mode() != harnesses.ByRelay || o.Ruled == nil {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(s string) bool {
		return slices.Contains(kept, s) && !o.Ruled(s) && as[s] == ""
	})
}

// needsNone reports whether a harness needs no relay with a program: only hooks keep ids, or relays served only to keep
// ids, and none are kept any more. It needs one for a server that the user named.
func (o Options) needsNone(now inspect.Registration, p harnesses.Program) bool {
	if p.Join {
		return o.Keep && len(p.Handles) > 0
	}
	return o.Keep && len(p.Handles) == 0 && len(now.Relays) > 0 && len(o.carried(now)) == 0
}

// handles returns the servers whose ids are to be kept.
func (o Options) handles(h harnesses.Harness, now inspect.Registration) []string {
	if o.Handles == nil {
		return now.Handles()
	}
	found, _ := h.Find(o.Env) // Plan reports the error
	return ordered(o.Handles.Of(o.Keepable(found)), now.Handles())
}

// Keepable returns the servers of a harness whose ids can be kept. In the user's scope these are never a project's
// servers.
func (o Options) Keepable(p harnesses.Presence) (names []string) {
	for _, s := range p.Servers {
		if o.keepable(s) {
			names = lists.AddUnique(names, s.Name)
		}
	}
	return names
}

func (o Options) keepable(s harnesses.Server) bool {
	named := o.Program
	named.Servers, named.Handles = []string{s.Name}, nil
	return !s.Disabled && (s.Scope != harnesses.Project || o.Scope == harnesses.Project) && named.Check(o.Env.GOOS) == nil // the name fits a command line
}

// Keeps reports whether the options ask for the ids of a server.
func (o Options) Keeps(s harnesses.Server) bool {
	return o.Handles != nil && o.keepable(s) && len(o.Handles.Of([]string{s.Name})) > 0
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

func sameSet(a, b []string) bool {
	return len(lists.AddUnique(a, b...)) == len(lists.AddUnique(nil, a...)) && len(lists.AddUnique(b, a...)) == len(lists.AddUnique(nil, b...))
}

// mode returns the mode to set up: the requested one, else the registered one, else the harness's usual one.
func (o Options) mode(h harnesses.Harness, now inspect.Registration) (harnesses.Mode, error) {
	o.Mode = cmp.Or(o.Modes[h.ID], o.Mode)
	if _, ok := h.Choice(now.Mode()); o.Mode == "" && ok {
		return now.Mode(), nil
	}
	if o.Mode == "" {
		return h.Usual(), nil
	}
	if _, ok := h.Choice(o.Mode); !ok {
		return "", refusal.Error{
			Err:  fmt.Errorf("it cannot be wired by %s, only by %s", o.Mode, h.ModeNames()),
			Hint: "exclude it with --harness, or use --wiring " + string(h.Usual()),
		}
	}
	return o.Mode, nil
}

// again returns the command that sets up one harness with these options, but in this scope and for these servers.
func (o Options) again(h harnesses.Harness, scope harnesses.Scope, servers []string) string {
	line := "wsi setup --harness " + h.ID
	if scope != harnesses.User || o.Scope != scope {
		line += " --scope " + string(scope)
	}
	if o.Mode != "" {
		line += " --wiring " + string(o.Mode)
	}
	as := o.rulesFor(servers, nil, nil)
	for _, name := range servers {
		if len(servers) > 1 || name != harnesses.DefaultServer {
			line += " --server " + harnesses.Quote(o.Env.GOOS, harnesses.ServerWord(name, as[name]))
		}
	}
	return line
}
