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

// set returns the rules in force. A rule file with an error has no effect; the doctor and `wsi rules list`
// report it.
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

// sets returns the rules for the event's server, grouped by where their values are kept.
func (r *run) sets(ev harnesses.Event, server, tool string) []ruleset.Set {
	owner := server
	if !r.can.MayOmitServer {
		owner = cmp.Or(ev.Server, strings.TrimSuffix(ev.Name, tool)) // see ruleset.Split
	}
	return ruleset.Split(r.set().For(server), r.set().Single, r.opt.Harness, ev.Session, owner)
}

// load returns the state of a set's session. Without a session it is made from current.token.
func (r *run) load(s ruleset.Set) (carry.State, error) {
	if s.Session != "" {
		return r.vault.Load(s.Harness, s.Session)
	}
	for i := range s.Rules {
		if r.current == nil || s.Rules[i].Name != rules.Token {
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

// foreignTools returns the tools that were called on another server in the event's session. state is the
// set's, which may not be the session's. If the session cannot be read, it returns tool.
func (r *run) foreignTools(ev harnesses.Event, s ruleset.Set, state *carry.State, tool string) []string {
	if s.Harness == r.opt.Harness && s.Session == ev.Session {
		return state.Foreign
	}
	own, err := r.vault.Load(r.opt.Harness, ev.Session)
	if err != nil {
		return []string{tool} // no value is better than another server's
	}
	return own.Foreign
}

// keepCurrent also writes a captured value to current.token, if there is one.
func (r *run) keepCurrent(value string) error {
	if value == "" || r.current == nil {
		return nil
	}
	return r.current.Save(value)
}
