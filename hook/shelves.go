package hook

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/hook/rules"
	"wsi/hook/ruleset"
)

// set returns the rules in force. A rule file with an error in it switches nothing on or off: the
// doctor and `wsi rules list` say so.
func (r *run) set() *rules.Set {
	if r.rules == nil {
		servers := slices.Clone(r.opt.Servers)
		for _, server := range r.opt.Servers {
			if as := r.opt.As[server]; as != "" {
				servers = append(servers, as)
			}
		}
		cache := ""
		if r.vault.Dir != "" {
			cache = filepath.Join(filepath.Dir(r.vault.Dir), rules.CacheName(servers))
		}
		set, err := rules.LoadFor(servers, rules.UserFile(r.env.Getenv, r.env.Home), cache)
		if err != nil {
			r.warning = "the rule file is not in force, see wsi rules list"
		}
		set.As = r.opt.As
		r.rules = &set
	}
	return r.rules
}

func (r *run) knows(server, tool string) bool {
	return slices.ContainsFunc(r.set().For(server), func(rule carry.Rule) bool { return rule.Knows(tool) })
}

// shelves returns the rules for the event's server, by where their values are kept.
func (r *run) shelves(ev harnesses.Event, server, tool string) []ruleset.Set {
	owner := server
	if !r.can.MayOmitServer {
		// Servers whose names became alike, a plugin's and the user's, have chains of their own.
		owner = cmp.Or(ev.Server, strings.TrimSuffix(ev.Name, tool))
	}
	return ruleset.Of(r.set().For(server), r.set().Single, r.opt.Harness, ev.Session, owner)
}

// caller returns the call as the rule sees it.
func (r *run) caller(rule *carry.Rule, call carry.Call) carry.Call {
	return ruleset.Caller(rule, r.session, call)
}

// isCurrent tells whether a shelf's values have a second place: those of the specification's rule.
func (r *run) isCurrent(rule *carry.Rule) bool { return r.current != nil && rule.Name == rules.Token }

// load returns what is known of a shelf's session. Without a session it is what current.token says.
func (r *run) load(s ruleset.Set) (carry.State, error) {
	if s.Session != "" {
		return r.vault.Load(s.Harness, s.Session)
	}
	for i := range s.Rules {
		if !r.isCurrent(&s.Rules[i]) {
			continue
		}
		value, err := r.current.Load()
		if err != nil || value == "" {
			return carry.State{}, err
		}
		return carry.Stored(s.Rules[i].Server, value), nil
	}
	return carry.State{}, nil
}

// foreignTools returns the tools that another server was seen to have in the event's session. state is
// the shelf's, which need not be the session's.
func (r *run) foreignTools(ev harnesses.Event, s ruleset.Set, state *carry.State, call carry.Call) []string {
	if s.Harness == r.opt.Harness && s.Session == ev.Session {
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
