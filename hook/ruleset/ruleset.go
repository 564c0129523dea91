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

// Split groups a server's rules by where their values are kept. owner is the
// name under which the server's chains are kept. It may be longer than the server's name, so that servers with
// names that became equal, a plugin's and the user's, have separate chains.
func Split(all []carry.Rule, harness, session, owner string) []Set {
	var sets []Set
	for _, rule := range all {
		if len(rule.Capture.From)+len(rule.Show) == 0 { // it has no state; see [In]
			continue
		}
		s := Set{Harness: harness, Session: session}
		rule.Server = owner
		if rule.Scope == carry.ScopeUser { // the next session may be in another harness, or a newer version of it
			s.Harness, s.Session, rule.Server = "all", rule.Name, serverOf(owner)
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
