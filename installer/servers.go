package installer

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/installer/edit"
	"wsi/installer/inspect"
	"wsi/installer/refusal"
	"wsi/internal/lists"
	"wsi/internal/phrase"
)

// Proposing returns the options for a setup without named servers. It returns a refusal if every harness is idle.
func (o Options) Proposing() (Options, error) {
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
	if o.allIdle() {
		return o, o.unruled(o.Harnesses...)
	}
	return o, nil
}

// RelayGives is what a relay does for a server without rules.
const RelayGives = "wsi relay starts such a server again when it ends, lets the model read whole results, and logs calls."

// Idle reports whether setup has nothing to do for a harness: wsi is not wired there, and it has none of the servers that
// the user named or, if the user named none, no server with a rule.
func (o Options) Idle(h setup.Harness) bool {
	p, err := h.Find(o.Env)
	if err != nil || o.Keep && o.Ruled == nil || !o.Adds && inspect.Registered(o.Env, h, o.Scope).Mode() != "" {
		return false
	}
	if o.All {
		return len(o.Own[h.ID]) == 0
	}
	if o.Keep {
		return len(o.ruled(p)) == 0
	}
	return !slices.ContainsFunc(p.Servers, func(s setup.Server) bool { return slices.Contains(o.Program.Servers, s.Name) })
}

// Lack says what an idle harness does not have.
func (o Options) Lack() string {
	if o.All {
		return "no server that wsi relay can be in front of"
	}
	if o.Keep {
		return "no server with a rule"
	}
	return "no server named " + strings.Join(o.Program.Servers, " or ")
}

func (o Options) allIdle() bool {
	return !slices.ContainsFunc(o.Harnesses, func(h setup.Harness) bool { return !o.Idle(h) })
}

// unruled returns the refusal if these harnesses have no server with a rule.
func (o Options) unruled(hs ...setup.Harness) error {
	if o.All {
		return refusal.Error{Err: errors.New("it has " + o.Lack())}
	}
	o.Keep = false // so that the command names the server
	var names, ids []string
	var found []setup.Presence
	for _, h := range hs {
		p, _ := h.Find(o.Env) // its error is reported elsewhere
		names, found = append(names, h.Name), append(found, p)
		if len(p.Servers) == 0 || inspect.Suggest(p.Servers) != "" {
			ids = append(ids, h.ID)
		}
	}
	again := func(server string) string {
		return o.again(setup.Harness{ID: strings.Join(ids, ",")}, o.Scope, []string{server})
	}
	there := inspect.Offer(found...)
	switch other := o.Offer(found...); {
	case len(other) > 0:
		return refusal.Error{
			Err: fmt.Errorf("wsi has no rule for an MCP server of %s; registered there: %s", phrase.List(names, "and"), strings.Join(there, ", ")),
			Fix: "if " + other[0] + " is a " + harnesses.DefaultServer + ", type", Command: again(other[0]),
		}
	case len(there) > 0:
		line := "wsi setup --wiring relay --scope " + string(o.Scope) + " --server " + setup.Quote(o.Env.GOOS, there[0])
		return refusal.Error{
			Err: fmt.Errorf("nothing to set up: wsi has no rules for %s", phrase.List(lists.Map(there, strconv.Quote), "and")),
			Fix: "wsi relay can be in front of any server", Command: line,
		}
	}
	err := fmt.Errorf("no MCP server is registered in %s yet", phrase.List(names, "and"))
	if !slices.ContainsFunc(hs, func(h setup.Harness) bool { return !h.RelayOnly() }) {
		return refusal.Error{Err: err, Fix: "register one that wsi rules list names, then run wsi setup again"}
	}
	return refusal.Error{Err: err, Fix: "to set up before one is registered", Command: again(harnesses.DefaultServer)}
}

// Offer returns the servers of harnesses for which wsi can carry values: those with a rule, and those that look like a
// workflow-server under another name.
func (o Options) Offer(all ...setup.Presence) []string {
	return slices.DeleteFunc(inspect.Offer(all...), func(name string) bool {
		likely := func(p setup.Presence) bool {
			return slices.ContainsFunc(p.Servers, func(s setup.Server) bool { return s.Name == name && inspect.LikelyServer(s) })
		}
		return (o.Ruled == nil || !o.Ruled(name)) && !slices.ContainsFunc(all, likely)
	})
}

// ruled returns the servers of a harness that have a rule, in the order of Offer. It skips a name that cannot be put on a
// command line, for which setup would refuse the harness.
func (o Options) ruled(p setup.Presence) []string {
	return slices.DeleteFunc(inspect.Offer(p), func(name string) bool {
		as := inspect.Placeholder(o.Env)
		as.Servers = []string{name}
		return o.Ruled == nil || !o.Ruled(name) || as.Check(o.Env.GOOS) != nil
	})
}

// program returns the program to register with a harness. now is its present registration.
func (o Options) program(h setup.Harness, now inspect.Registration) setup.Program {
	p, servers := o.Program, now.Servers()
	switch own := o.Own[h.ID]; {
	case o.Adds:
		p.Servers = o.adding(h, now)
	case o.Keep && len(servers) > 0:
		p.Servers = servers
	case o.Keep && len(own) > 0:
		p.Servers = own
	case own != nil && !o.Keep:
		p.Servers = ordered(own, servers)
	default:
		p.Servers = ordered(p.Servers, servers)
	}
	p.As = o.rulesFor(h, now, p.Servers)
	p.Meta = o.Meta != nil && slices.ContainsFunc(p.Servers, func(s string) bool { return o.Meta(cmp.Or(p.As[s], s)) })
	return p
}

// adding returns the servers to register if the user has named some. What a relay is in front of stays, and so do the hooks'
// servers if only servers without rules are named, for which there are no hooks. Other names replace those of hooks.
func (o Options) adding(h setup.Harness, now inspect.Registration) []string {
	registered := now.Servers()
	mode, _ := o.mode(h, now) // its error is reported by the plan
	carried := func(name string) bool { return o.carries(h, name) }
	named := lists.Filter(o.named(h), func(name string) bool {
		return len(registered) == 0 || carried(name) || inspect.HasOther(o.Env, h, name)
	})
	if named == nil {
		return o.named(h) // the plan refuses them
	}
	if mode == setup.ByRelay || !slices.ContainsFunc(named, carried) {
		return ordered(slices.Concat(registered, named), registered)
	}
	behind := lists.Map(now.Relays, func(f inspect.WrappedServer) string { return f.Name })
	return ordered(slices.Concat(named, slices.DeleteFunc(behind, carried)), registered)
}

// named returns the servers that the user has named for a harness.
func (o Options) named(h setup.Harness) []string {
	if o.All {
		return o.Own[h.ID]
	}
	return o.Program.Servers
}

// carries reports whether there are rules for a server that the user has named: its own, those of another one, or those of a
// workflow-server because the harness has it and it looks like one.
func (o Options) carries(h setup.Harness, name string) bool {
	found, _ := h.Find(o.Env) // its error is reported elsewhere
	return o.Named == nil || o.Named(name) || o.Program.As[name] != "" || slices.ContainsFunc(found.Servers, func(s setup.Server) bool {
		return s.Name == name && inspect.LikelyServer(s)
	})
}

// behind returns the servers of a program that a relay is in front of. Where hooks carry values, these are the servers that
// have none, unless hooks are registered for them.
func (o Options) behind(now inspect.Registration, mode setup.Mode, p setup.Program) []string {
	if mode == setup.ByRelay {
		return p.Servers
	}
	now.Relays = nil
	with := slices.Concat(now.Servers(), o.carried(p))
	return lists.Filter(p.Servers, func(name string) bool { return !slices.Contains(with, name) })
}

// rulesNow maps the registered servers to the servers whose rules they use. If the user renamed an entry, the relay in it
// still has the former name: the entry keeps those rules, unless its own name has some.
func (o Options) rulesNow(now inspect.Registration) map[string]string {
	as := now.Rules()
	for _, f := range now.Relays {
		if f.Name != f.Relay.Server && as[f.Name] == "" && o.Ruled != nil && !o.Ruled(f.Name) {
			as[f.Name] = f.Relay.Server
		}
	}
	return as
}

// rulesFor maps servers to other servers whose rules they use. The user's choice comes first, then the registered one,
// then workflow-server for a server that no rule names. A relay can be in front of a server without rules.
func (o Options) rulesFor(h setup.Harness, now inspect.Registration, servers []string) (as map[string]string) {
	was, registered := o.rulesNow(now), now.Servers()
	as = map[string]string{}
	for _, name := range servers {
		of := o.Program.As[name]
		switch {
		case of != "":
		case slices.Contains(registered, name):
			of = was[name]
		case o.Named != nil && !o.Named(name) && !(h.Find != nil && inspect.HasOther(o.Env, h, name)):
			of = harnesses.DefaultServer
		}
		if of != "" {
			as[name] = of
		}
	}
	return as
}

// carried returns the servers of a program that have rules.
func (o Options) carried(p setup.Program) []string {
	return lists.Filter(p.Servers, func(name string) bool { return p.As[name] != "" || o.Named == nil || o.Named(name) })
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

// mode returns the mode to set up: the requested one, else the registered one, else the harness's usual one. A relay that is
// requested for servers without rules leaves hooks for others as they are.
func (o Options) mode(h setup.Harness, now inspect.Registration) (setup.Mode, error) {
	o.Mode = cmp.Or(o.Modes[h.ID], o.Mode)
	if o.Adds && o.Mode == setup.ByRelay && now.Mode() == setup.ByHooks &&
		slices.ContainsFunc(o.named(h), func(name string) bool { return inspect.HasOther(o.Env, h, name) }) &&
		!slices.ContainsFunc(o.named(h), func(name string) bool { return o.carries(h, name) }) {
		return setup.ByHooks, nil
	}
	if _, ok := h.Choice(now.Mode()); o.Mode == "" && ok {
		return now.Mode(), nil
	}
	if o.Mode == "" {
		return h.Usual(), nil
	}
	if _, ok := h.Choice(o.Mode); !ok {
		err := fmt.Errorf("it cannot be wired by %s, only by %s", o.Mode, h.ModeNames())
		o.Mode = h.Usual()
		return "", refusal.Error{Err: err, Command: o.again(h, o.Scope, o.Program.Servers)}
	}
	return o.Mode, nil
}

// again returns the command that sets up one harness with these options, but in this scope and for these servers.
func (o Options) again(h setup.Harness, scope setup.Scope, servers []string) string {
	line := "wsi setup --harness " + h.ID
	if scope != setup.User || o.Scope != scope {
		line += " --scope " + string(scope)
	}
	if mode := cmp.Or(o.Mode, o.Modes[h.ID]); mode != "" {
		line += " --wiring " + string(mode)
	}
	if o.All {
		return line + " --all-servers"
	}
	var now inspect.Registration
	if h.Find != nil { // else these are several harnesses
		now = inspect.Registered(o.Env, h, scope)
	}
	as := o.rulesFor(h, now, servers)
	for _, name := range servers {
		if !o.Keep || len(servers) > 1 || name != harnesses.DefaultServer {
			line += " --server " + setup.Quote(o.Env.GOOS, harnesses.ServerWord(name, as[name]))
		}
	}
	return line
}

// every returns o with the servers that a setup of all servers is for: those that the files of the scope register, without those
// that wsi relay cannot be in front of.
func (o Options) every() Options {
	if !o.All {
		return o
	}
	o.Own, o.lines = map[string][]string{}, nil
	for _, h := range o.Harnesses {
		for _, file := range inspect.ServerFiles(o.Env, h, o.Scope) {
			o.Own[h.ID] = lists.AddUnique(o.Own[h.ID], o.everyIn(h, file)...)
		}
	}
	return o
}

// everyIn returns the servers of one file, and adds a line on each server. The plan reports a file that cannot be read.
func (o *Options) everyIn(h setup.Harness, file setup.ServerFile) (names []string) {
	content, _ := o.Env.ReadFile(file.Path)
	found, _ := edit.Servers(file, content)
	login := (&workspace{o: *o}).login(h, file)
	as := inspect.Placeholder(o.Env)
	for _, s := range found {
		as.Servers = []string{s.Name}
		err := as.Check(o.Env.GOOS)
		if err == nil && s.Others {
			err = errors.New("it runs through wsi relay for another harness, which reads the same file")
		} else if err == nil {
			_, _, err = edit.Wrap(file, content, func(name string) (setup.RelayCommand, bool) {
				return setup.RelayCommand{Path: as.Path, Server: name, Harness: h.ID}, name == s.Name
			}, login)
			err = errors.Unwrap(err) // without the name
		}
		text := s.Name + " gets wsi relay"
		if err != nil {
			text = fmt.Sprintf("%s stays as it is: %v", s.Name, err)
		} else if names = append(names, s.Name); o.carries(h, s.Name) {
			text += ", and its values are carried"
		}
		o.lines = append(o.lines, Note{Harness: h.ID, Text: text})
	}
	return names
}
