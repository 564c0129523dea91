// Package rules says which value of which server is carried where: the rule file, the built-in rules,
// how they are merged, and the compiled form in which a hook reads them quickly. It is pure but for
// Load: bytes in, rules of the engine out.
//
// It must not know harnesses, calls, results or what the engine does with a rule.
package rules

import (
	"cmp"
	"slices"
	"strings"

	"wsi/hook/carry"
)

// Set is what is in force.
type Set struct {
	Rules  []Rule
	Leave  []string // names of tools, as harnesses have them, that wsi leaves alone whatever the rules say
	Single bool     // keying = "single": one value for all sessions, as the specification has it

	// As says of servers, by the names they are registered with, whose rules they have: that of a server
	// that a rule names. It is the caller's to set, from what the user said; not part of the compiled form.
	As map[string]string
}

// Rule is a rule of the engine with what only its file knows of it.
type Rule struct {
	carry.Rule
	Off     bool     // enabled = false
	Servers []string // names as registered
	Origin  Origin   // not part of the compiled form
}

// Origin says where a rule was written; the zero Origin is a built-in rule read from its compiled form.
type Origin struct {
	File string
	Line int
}

// Token is the name of the built-in rule for the workflow-server's session_token.
const Token = "workflow-server token"

// WorkflowServer is the name under which the workflow-server is registered.
const WorkflowServer = "workflow-server"

// For returns the engine's rules for a server, by the name it is registered with or the one a harness
// makes of it. A server that no rule names, and of which its user did not say whose rules it has, may be a
// workflow-server: command lines that wsi wrote before that could be said only name it. Its rules are
// presumed (see carry.Rule).
func (s *Set) For(server string) []carry.Rule {
	as := s.As[server]
	out, named := s.of(cmp.Or(as, server))
	if named || as != "" {
		return out
	}
	out, _ = s.of(WorkflowServer)
	for i := range out {
		out[i].Presumed = true
	}
	return out
}

// Names reports whether a rule names the server, be it switched off or not.
func (s *Set) Names(server string) bool {
	_, named := s.of(server)
	return named
}

// of returns the rules in force for a server, and whether any rule names it.
func (s *Set) of(server string) (out []carry.Rule, named bool) {
	for i := range s.Rules {
		r := &s.Rules[i]
		if !slices.ContainsFunc(r.Servers, func(name string) bool { return carry.Same(strings.ToLower(name), strings.ToLower(server)) }) {
			continue
		}
		named = true
		if !r.Off {
			out = append(out, r.Rule)
		}
	}
	return out, named
}

// Servers returns the names of all servers that rules in force name.
func (s *Set) Servers() (names []string) {
	for i := range s.Rules {
		for _, name := range s.Rules[i].Servers {
			if !s.Rules[i].Off && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// ForToken returns the built-in rule for the workflow-server's session_token, for a server of that name.
func ForToken(server string) carry.Rule {
	for _, r := range builtin.Rules {
		if r.Name == Token {
			r.Rule.Server = server
			return r.Rule
		}
	}
	panic("no rule " + Token)
}

// Leaves reports whether a tool is to be left alone: by the name a harness calls it, or by its server's
// name and its own.
func (s *Set) Leaves(called, server, tool string) bool {
	return slices.ContainsFunc(s.Leave, func(name string) bool {
		return carry.Same(name, called) || server != "" && carry.Same(name, "mcp__"+server+"__"+tool)
	})
}
