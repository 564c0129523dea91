// Package ruleset says in which places of the vault the values of a server's rules are, and asks the rules
// of one place about one call. Both ports of the engine stand on it, the hook and the relay.
//
// It must not know dialects, transports, or what becomes of a decision.
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

// Set is a place of the vault with the rules whose values are kept there. Harness and Session are as
// vault.Vault takes them; Session is "" for an event without one.
type Set struct {
	Harness, Session string
	Rules            []carry.Rule
}

// Of returns a server's rules by where their values are kept: with single all in one place. owner is the name
// under which the server's chains are kept: servers whose names became alike, a plugin's and the user's, have
// chains of their own.
func Of(of []carry.Rule, single bool, harness, session, owner string) []Set {
	var all []Set
	for _, rule := range of {
		s := Set{Harness: harness, Session: session}
		switch {
		case single:
			s.Harness, s.Session = "all", "single"
		case rule.Scope == carry.ScopeUser:
			s.Harness, s.Session = "all", rule.Name
		}
		rule.Server, rule.Single = owner, single
		if rule.Scope == carry.ScopeUser { // the next session may be another harness's, or a newer one's
			rule.Server = serverOf(owner)
		}
		if rule.Name != rules.Token { // whose chains had their server's name alone before there were others
			rule.Server += ruleOf + rule.Name
		}
		at := slices.IndexFunc(all, func(o Set) bool { return o.Harness == s.Harness && o.Session == s.Session })
		if at < 0 {
			all = append(all, s)
			at = len(all) - 1
		}
		all[at].Rules = append(all[at].Rules, rule)
	}
	// What is put into a call may depend on what another rule has mended in it.
	for _, s := range all {
		slices.SortStableFunc(s.Rules, func(a, b carry.Rule) int { return cmp.Compare(len(a.Inject), len(b.Inject)) })
	}
	slices.SortStableFunc(all, func(a, b Set) int { return cmp.Compare(len(a.Rules[0].Inject), len(b.Rules[0].Inject)) })
	return all
}

// ruleOf stands between the names of a server and of a rule in the name of a chain's owner.
const ruleOf = " / "

// Caller returns the call as a rule sees it: only some tell agents apart. To a value that survives the
// session, sessions are what agents are to others; session is the key of the call's in the vault.
func Caller(rule *carry.Rule, session string, call carry.Call) carry.Call {
	switch rule.Scope {
	case carry.ScopeAgent:
	case carry.ScopeUser:
		call.Agent = session
	default:
		call.Agent = ""
	}
	return call
}

// Others returns what is kept of the user's other sessions with a server, whatever harness they were
// in. Harnesses write the server's name in their own ways, and so do their versions.
func (s Set) Others(v vault.Vault) func(server string) []carry.State {
	return func(server string) []carry.State {
		states := v.Others(s.Harness, s.Session, vault.MaxOthers)
		for i := range states {
			for k := range states[i].Chains {
				if c := &states[i].Chains[k]; bare(c.Server) == bare(server) {
					c.Server = server
				}
			}
		}
		return states
	}
}

func bare(owner string) string {
	server, rule, _ := strings.Cut(owner, ruleOf)
	return serverOf(server) + ruleOf + rule
}

// serverOf is the server's name within an owner's in a form that is the same for all harnesses.
func serverOf(owner string) string {
	name := strings.TrimRight(strings.TrimPrefix(owner, "mcp__"), "_")
	return harnesses.SafeName(strings.ReplaceAll(name, "-", "_"), harnesses.Word)
}

// Drop forgets what a shelf keeps, if a result that could not be kept made it older than what the server
// now expects: rather nothing than that. take gives the result to the engine. Of the values that survive
// the session most are other sessions'.
func (s Set) Drop(v vault.Vault, take func(*carry.State)) error {
	state, err := v.Load(s.Harness, s.Session)
	if err == nil {
		was := make(map[int]string, len(state.Chains))
		for _, chain := range state.Chains {
			was[chain.ID] = chain.Value
		}
		take(&state)
		aged := slices.ContainsFunc(state.Chains, func(chain carry.Chain) bool {
			value, known := was[chain.ID]
			return known && value != chain.Value
		})
		byKey := !slices.ContainsFunc(s.Rules, func(r carry.Rule) bool { return !r.OnlyByKey() })
		if byKey && !aged {
			return nil
		}
	}
	return v.Drop(s.Harness, s.Session)
}
