package installer

import (
	"bytes"
	"slices"
	"strings"

	"wsi/harnesses"
)

// Offer returns the names of the MCP servers that harnesses are configured with, without duplicates: those
// that look like workflow-server first, disabled ones last.
func Offer(statuses []Status) []string {
	var likely, others, off []string
	for _, status := range statuses {
		for _, s := range status.Presence.Servers {
			switch {
			case s.Disabled:
				off = addUnique(off, s.Name)
			case likelyServer(s):
				likely = addUnique(likely, s.Name)
			default:
				others = addUnique(others, s.Name)
			}
		}
	}
	return addUnique(addUnique(likely, others...), off...)
}

// Offered returns all without the harnesses for which setup has nothing to do: those without hooks that have none of
// the servers. servers are the requested names; ruled reports whether another server counts too, and may be nil. A
// harness with unreadable registrations is kept if one of its files mentions a name or a relay.
func Offered(env harnesses.Env, all []harnesses.Harness, servers []string, ruled func(server string) bool) []harnesses.Harness {
	return slices.DeleteFunc(slices.Clone(all), func(h harnesses.Harness) bool {
		if !h.RelayFirst() {
			return false
		}
		p, err := h.Find(env) // its error is reported elsewhere
		known := slices.ContainsFunc(p.Servers, func(s harnesses.Server) bool {
			_, _, wrapped := harnesses.ParseFront(s.Command)
			return wrapped || slices.Contains(servers, s.Name) || likelyServer(s) || ruled != nil && ruled(s.Name)
		})
		return !known && (err == nil || !named(env, h, servers))
	})
}

// named reports whether the server files of a harness mention one of the servers or a relay.
func named(env harnesses.Env, h harnesses.Harness, servers []string) bool {
	for _, scope := range []harnesses.Scope{harnesses.User, harnesses.Project} {
		for _, file := range serverFiles(env, h, scope) {
			content, err := env.ReadFile(file.Path)
			mentions := func(name string) bool { return bytes.Contains(content, []byte(name)) }
			if err == nil && (mentionsRelay(content) || mentions(harnesses.DefaultServer) || slices.ContainsFunc(servers, mentions)) {
				return true
			}
		}
	}
	return false
}

// Suggest returns the name of the only server that looks like workflow-server but has another name, "" if
// none or several do.
func Suggest(servers []harnesses.Server) string {
	var names []string
	for _, s := range servers {
		if likelyServer(s) {
			names = addUnique(names, s.Name)
		}
	}
	if len(names) != 1 || names[0] == harnesses.DefaultServer {
		return ""
	}
	return names[0]
}

// likelyServer reports whether a server's name, command or address contains the name of workflow-server.
func likelyServer(s harnesses.Server) bool {
	return slices.ContainsFunc(append([]string{s.Name, s.URL}, s.Command...), func(text string) bool {
		text = strings.ReplaceAll(strings.ToLower(text), "_", "-")
		return strings.Contains(text, harnesses.DefaultServer)
	})
}

// Proposing returns the options for a setup without named servers. A harness with none to propose gets those of the
// other harnesses.
func (o Options) Proposing() Options {
	o.Keep, o.Own = true, map[string][]string{}
	var all []string
	for _, h := range o.Harnesses {
		p, _ := h.Find(o.Env) // its error is reported elsewhere
		o.Own[h.ID] = o.ruled(p)
		all = addUnique(all, o.Own[h.ID]...)
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
		as := placeholder(o.Env)
		as.Servers = []string{name}
		return o.Ruled == nil || !o.Ruled(name) || as.Check(o.Env.GOOS) != nil
	})
}

// program returns the program to register with a harness that is registered as now says.
func (o Options) program(h harnesses.Harness, now held) harnesses.Program {
	p, servers := o.Program, now.servers()
	p.Servers = ordered(p.Servers, servers)
	switch own := o.Own[h.ID]; {
	case o.Keep && len(servers) > 0:
		p.Servers = servers
	case o.Keep && len(own) > 0:
		p.Servers = own
	}
	p.As = o.rulesFor(p.Servers, servers, now.as())
	return p
}

// rulesFor maps servers that no rule names to the server whose rules they use: as the user says, else as registered, else
// workflow-server, because the user chose the server as one.
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
	servers = addUnique(nil, servers...)
	if sameSet(servers, registered) {
		return registered
	}
	return servers
}
