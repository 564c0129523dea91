package hook

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/hook/rules"
	"wsi/hook/vault"
)

// shelf is a place of the vault with the rules whose values are kept there.
type shelf struct {
	harness, session string
	rules            []carry.Rule
}

// set returns the rules in force. A rule file with an error in it switches nothing on or off: the
// doctor and `wsi rules list` say so.
func (r *run) set() *rules.Set {
	if r.rules == nil {
		cache := ""
		if r.vault.Dir != "" {
			cache = filepath.Join(filepath.Dir(r.vault.Dir), rules.CacheName(r.opt.Servers))
		}
		set, err := rules.LoadFor(r.opt.Servers, rules.UserFile(r.env.Getenv, r.env.Home), cache)
		if err != nil {
			r.warning = "the rule file is not in force, see wsi rules list"
		}
		r.rules = &set
	}
	return r.rules
}

func (r *run) knows(server, tool string) bool {
	return slices.ContainsFunc(r.set().For(server), func(rule carry.Rule) bool { return rule.Knows(tool) })
}

// shelves returns the rules for the event's server, by where their values are kept.
func (r *run) shelves(ev harnesses.Event, server, tool string) []shelf {
	owner := server
	if _, is := r.dialect.(harnesses.Anonymous); !is {
		// Servers whose names became alike, a plugin's and the user's, have chains of their own.
		owner = cmp.Or(ev.Server, strings.TrimSuffix(ev.Name, tool))
	}
	var all []shelf
	for _, rule := range r.set().For(server) {
		s := shelf{harness: r.opt.Harness, session: ev.Session}
		switch {
		case r.set().Single:
			s.harness, s.session = "all", "single"
		case rule.Scope == carry.ScopeUser:
			s.harness, s.session = "all", rule.Name
		}
		rule.Server, rule.Single = owner, r.set().Single
		if rule.Scope == carry.ScopeUser { // the next session may be another harness's, or a newer one's
			rule.Server = serverOf(owner)
		}
		if rule.Name != rules.Token { // whose chains had their server's name alone before there were others
			rule.Server += ruleOf + rule.Name
		}
		at := slices.IndexFunc(all, func(o shelf) bool { return o.harness == s.harness && o.session == s.session })
		if at < 0 {
			all = append(all, s)
			at = len(all) - 1
		}
		all[at].rules = append(all[at].rules, rule)
	}
	// What is put into a call may depend on what another rule has mended in it.
	for _, s := range all {
		slices.SortStableFunc(s.rules, func(a, b carry.Rule) int { return cmp.Compare(len(a.Inject), len(b.Inject)) })
	}
	slices.SortStableFunc(all, func(a, b shelf) int { return cmp.Compare(len(a.rules[0].Inject), len(b.rules[0].Inject)) })
	return all
}

// ruleOf stands between the names of a server and of a rule in the name of a chain's owner.
const ruleOf = " / "

// caller returns the call as the rule sees it: only some tell agents apart. To a value that survives the
// session, sessions are what agents are to others.
func (r *run) caller(rule *carry.Rule, call carry.Call) carry.Call {
	switch rule.Scope {
	case carry.ScopeAgent:
	case carry.ScopeUser:
		call.Agent = r.session
	default:
		call.Agent = ""
	}
	return call
}

// others returns what is kept of the user's other sessions with a server, whatever harness they were
// in. Harnesses write the server's name in their own ways, and so do their versions.
func (r *run) others(harness, session string) func(server string) []carry.State {
	return func(server string) []carry.State {
		states := r.vault.Others(harness, session, vault.MaxOthers)
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

// isCurrent tells whether a shelf's values have a second place: those of the specification's rule.
func (r *run) isCurrent(rule *carry.Rule) bool { return r.current != nil && rule.Name == rules.Token }

// load returns what is known of a shelf's session. Without a session it is what current.token says.
func (r *run) load(s shelf) (carry.State, error) {
	if s.session != "" {
		return r.vault.Load(s.harness, s.session)
	}
	for i := range s.rules {
		if !r.isCurrent(&s.rules[i]) {
			continue
		}
		value, err := r.current.Load()
		if err != nil || value == "" {
			return carry.State{}, err
		}
		return carry.Stored(s.rules[i].Server, value), nil
	}
	return carry.State{}, nil
}

// foreignTools returns the tools that another server was seen to have in the event's session. state is
// the shelf's, which need not be the session's.
func (r *run) foreignTools(ev harnesses.Event, s shelf, state *carry.State, call carry.Call) []string {
	if s.harness == r.opt.Harness && s.session == ev.Session {
		return state.Foreign
	}
	own, err := r.vault.Load(r.opt.Harness, ev.Session)
	if err != nil {
		return []string{call.Tool} // rather no value than another server's
	}
	return own.Foreign
}

// keepCurrent puts a captured value into its second place.
func (r *run) keepCurrent(value string) error {
	if value == "" {
		return nil
	}
	return r.current.Save(value)
}
