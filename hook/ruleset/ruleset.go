// Package ruleset applies the rules of a server to one call or result. Both ports of the engine, the hook and
// the relay, use it: load the state, decide, record, update the vault once.
//
// It must not know how a harness or a transport represents a call, or how a port answers.
package ruleset

import (
	"cmp"
	"slices"
	"strings"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/hook/rules"
	"wsi/hook/vault"
)

// Set is a group of rules with the session of the vault in which their values are kept. Harness and Session
// are arguments of [vault.Vault]; Session is "" for an event without one.
type Set struct {
	Harness, Session string
	Rules            []carry.Rule
}

// Split groups a server's rules by where their values are kept; with single, all are in one place. owner is the
// name under which the server's chains are kept. It may be longer than the server's name, so that servers with
// names that became equal, a plugin's and the user's, have separate chains.
func Split(all []carry.Rule, single bool, harness, session, owner string) []Set {
	var sets []Set
	for _, rule := range all {
		s := Set{Harness: harness, Session: session}
		switch {
		case single:
			s.Harness, s.Session = "all", "single"
		case rule.Scope == carry.ScopeUser:
			s.Harness, s.Session = "all", rule.Name
		}
		rule.Server, rule.Single = owner, single
		if rule.Scope == carry.ScopeUser { // the next session may be in another harness, or a newer version of it
			rule.Server = serverOf(owner)
		}
		if rule.Name != rules.Token { // which was the only rule at first, without its name in the owner
			rule.Server += ruleOf + rule.Name
		}
		at := slices.IndexFunc(sets, func(o Set) bool { return o.Harness == s.Harness && o.Session == s.Session })
		if at < 0 {
			sets = append(sets, s)
			at = len(sets) - 1
		}
		sets[at].Rules = append(sets[at].Rules, rule)
	}
	// What one rule injects may depend on what another repaired: rules that repair only come first.
	for _, s := range sets {
		slices.SortStableFunc(s.Rules, func(a, b carry.Rule) int { return cmp.Compare(len(a.Inject), len(b.Inject)) })
	}
	slices.SortStableFunc(sets, func(a, b Set) int { return cmp.Compare(len(a.Rules[0].Inject), len(b.Rules[0].Inject)) })
	return sets
}

// ruleOf separates the server's name from the rule's in the name of a chain's owner.
const ruleOf = " / "

// Others returns a function for [carry.Call], which loads the user's other sessions with a server, in all
// harnesses. Harnesses and their versions write the server's name in different ways.
func (s Set) Others(v vault.Vault) func(server string) []carry.State {
	return func(server string) []carry.State {
		states := v.Others(s.Harness, s.Session, vault.MaxOthers)
		for i := range states {
			rename(&states[i], server)
		}
		return states
	}
}

// rename gives a server's chains the name in which the server is known here.
func rename(state *carry.State, server string) {
	for i := range state.Chains {
		if c := &state.Chains[i]; bare(c.Server) == bare(server) {
			c.Server = server
		}
	}
	for i := range state.Uses {
		if u := &state.Uses[i]; bare(u.Server) == bare(server) {
			u.Server = server
		}
	}
}

// Hides returns a function that reports whether a text is, or may be, a value of rules that keep it from others or
// show the model an alias instead: one that is stored, or that has the form which a rule says.
func Hides(sets []Set, v vault.Vault) (func(text string) bool, error) {
	var values []string
	var shapes []carry.Pattern
	for _, s := range sets {
		for i := range s.Rules {
			rule := &s.Rules[i]
			if !rule.Secret && !rule.Alias {
				continue
			}
			if rule.Shape != "" && !rule.Presumed {
				shapes = append(shapes, rule.Shape)
			}
			if s.Session == "" {
				continue
			}
			state, err := v.Load(s.Harness, s.Session)
			if err != nil {
				return nil, err
			}
			values = append(values, state.Values(rule.Server)...)
		}
	}
	return func(text string) bool {
		return slices.Contains(values, text) || slices.ContainsFunc(shapes, func(p carry.Pattern) bool { return p.Matches(text) })
	}, nil
}

// Aliases returns the aliases of the values that the agent of a call works with. The call needs no tool, and
// the owners in the sets may have any form.
func Aliases(sets []Set, v vault.Vault, call Call) (all []string, err error) {
	for _, s := range sets {
		aliases, err := s.aliases(v, call)
		if err != nil {
			return nil, err
		}
		all = append(all, aliases...)
	}
	return all, nil
}

func (s Set) aliases(v vault.Vault, call Call) (all []string, err error) {
	for i := range s.Rules {
		rule := &s.Rules[i]
		if !rule.Alias {
			continue
		}
		state, err := v.Load(s.Harness, s.Session)
		if err != nil {
			return nil, err
		}
		rename(&state, rule.Server)
		if alias := state.CurrentAlias(rule, call.For(rule).Agent); alias != "" {
			all = append(all, alias)
		}
	}
	return all, nil
}

// bare returns an owner with the server's name in that form.
func bare(owner string) string {
	server, rule, _ := strings.Cut(owner, ruleOf)
	return serverOf(server) + ruleOf + rule
}

// serverOf returns the server's name of an owner in a form that is the same for all harnesses.
func serverOf(owner string) string {
	name := strings.TrimRight(strings.TrimPrefix(owner, "mcp__"), "_")
	return harnesses.SafeName(strings.ReplaceAll(name, "-", "_"), harnesses.Word)
}
