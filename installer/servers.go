package installer

import (
	"bytes"
	"slices"
	"strings"

	"wsi/harnesses"
)

// Offer returns the names of the MCP servers that harnesses are configured with, each once: those
// that look like workflow-server first, then as found. Servers that are switched off come last.
func Offer(standings []Status) []string {
	var likely, others, off []string
	for _, standing := range standings {
		for _, s := range standing.Presence.Servers {
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

// Offered leaves out the harnesses that nobody would miss: without hooks, there is something to do with
// one only where it has a server to stand in front of. servers are the names of those asked for, ruled reports
// whether another one counts, too; it may be nil. What cannot be read as a registration counts if one of the names is
// in it, or wsi is.
func Offered(env harnesses.Env, all []harnesses.Harness, servers []string, ruled func(server string) bool) []harnesses.Harness {
	return slices.DeleteFunc(slices.Clone(all), func(h harnesses.Harness) bool {
		if !h.RelayFirst() {
			return false
		}
		p, err := h.Find(env) // what it complains about, others say
		known := slices.ContainsFunc(p.Servers, func(s harnesses.Server) bool {
			_, _, fronted := harnesses.ParseFront(s.Command)
			return fronted || slices.Contains(servers, s.Name) || likelyServer(s) || ruled != nil && ruled(s.Name)
		})
		return !known && (err == nil || !named(env, h, servers))
	})
}

// named tells whether the files in which a harness has its servers name one of these, or a relay.
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

// Suggest returns the name of the one server that looks like workflow-server though it goes by
// another name, "" if there is none or several.
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

// likelyServer looks for the name of workflow-server in a server's own name, command and address.
func likelyServer(s harnesses.Server) bool {
	return slices.ContainsFunc(append([]string{s.Name, s.URL}, s.Command...), func(text string) bool {
		text = strings.ReplaceAll(strings.ToLower(text), "_", "-")
		return strings.Contains(text, harnesses.DefaultServer)
	})
}

// Proposing returns the options for a setup that nobody has told which servers to carry for. A harness that has none
// to propose gets those of the others.
func (o Options) Proposing() Options {
	o.Keep, o.Own = true, map[string][]string{}
	var all []string
	for _, h := range o.Harnesses {
		p, _ := h.Find(o.Env) // what it complains about, others say
		o.Own[h.ID] = o.ruled(p)
		all = addUnique(all, o.Own[h.ID]...)
	}
	if len(all) > 0 {
		o.Program.Servers = all
	}
	return o
}

// Proposed returns the servers that are proposed for a harness: those for which wsi is registered with it, else those
// it has that a rule is for.
func (o Options) Proposed(s Status) []string {
	if len(s.Servers) > 0 {
		return s.Servers
	}
	return o.ruled(s.Presence)
}

// ruled returns the servers of a harness that a rule is for, in the order of Offer. A name that no command line can
// have would have the harness refused, and is left out.
func (o Options) ruled(p harnesses.Presence) []string {
	return slices.DeleteFunc(Offer([]Status{{Presence: p}}), func(name string) bool {
		as := standIn(o.Env)
		as.Servers = []string{name}
		return o.Ruled == nil || !o.Ruled(name) || as.Check(o.Env.GOOS) != nil
	})
}

// program returns what to register with a harness that has this of wsi's now.
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

// rulesFor says whose rules servers have that no rule names: what the user says now, else what is registered
// for them, else those of the workflow-server, for the user has chosen the server as one.
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

// ordered returns the servers to register: each once, and in the order of those that are registered
// if they are the same, for the order changes nothing but the command line, which users approve.
func ordered(servers, registered []string) []string {
	servers = addUnique(nil, servers...)
	if sameSet(servers, registered) {
		return registered
	}
	return servers
}
