// Package rules reads the rules that say which value of which server is carried where: the rule file, the
// built-in rules and the merge of both. Only Load reads files.
//
// It must not know harnesses, calls, results or what the engine does with a rule.
package rules

import (
	"cmp"
	"slices"
	"strings"

	"wsi/hook/carry"
	"wsi/internal/lists"
)

// Set is a set of rules.
type Set struct {
	Rules []Rule
	Leave []string // tools, by the names that harnesses use, that wsi leaves alone whatever the rules say

	// As maps the registered name of a server to the name of the server whose rules it has. The caller sets
	// it from what the user said.
	As map[string]string
}

// Rule is a rule of the engine with its properties in the rule file.
type Rule struct {
	carry.Rule
	Off     bool     // enabled = false
	Servers []string // names as registered
	Origin  Origin
}

// Origin is where a rule is written. It is zero for a built-in rule.
type Origin struct {
	File   string
	Number int // from 1
}

// Token is the name of the built-in rule for the workflow-server's session_token.
const Token = "workflow-server token"

// WorkflowServer is the name under which the workflow-server is registered.
const WorkflowServer = "workflow-server"

// For returns the engine's rules for a server, by its registered name or a harness's form of it.
func (s *Set) For(server string) []carry.Rule {
	out, _ := s.of(cmp.Or(s.As[server], server))
	return out
}

// Names reports whether a rule, enabled or not, names the server.
func (s *Set) Names(server string) bool {
	_, named := s.of(server)
	return named
}

// ReadsMeta reports whether rules show or collect what a server's results have in _meta.
func (s *Set) ReadsMeta(server string) bool {
	all, named := s.of(server)
	return named && slices.ContainsFunc(all, func(r carry.Rule) bool { return r.ReadsMeta() })
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

// Servers returns the names of all servers in enabled rules.
func (s *Set) Servers() (names []string) {
	for i := range s.Rules {
		if !s.Rules[i].Off {
			names = lists.AddUnique(names, s.Rules[i].Servers...)
		}
	}
	return names
}

// Leaves reports whether wsi leaves a tool alone, by the name that a harness uses or by its server's name and its own.
func (s *Set) Leaves(called, server, tool string) bool {
	return slices.ContainsFunc(s.Leave, func(name string) bool {
		return carry.Same(name, called) || server != "" && carry.Same(name, "mcp__"+server+"__"+tool)
	})
}

//go:generate go test . -run TestBuiltinIsItsFile -update

// Builtin returns the built-in rules, which the caller must not change. They are Go values, so that a run of
// the hook does not parse them.
func Builtin() Set { return builtin }
