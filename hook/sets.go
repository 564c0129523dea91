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
	"wsi/hook/schemas"
)

// set returns the rules in force. A rule file with an error has no effect; the doctor and `wsi rules list` report it.
func (r *run) set() *rules.Set {
	if r.rules == nil {
		set, err := rules.Load(rules.UserFile(r.env.Getenv, r.env.Home))
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
	// A tool that no rule names may belong to some, going by the call and by what the server said when it was asked.
	all, _ := carry.Admit(r.set().For(server), tool, ev.Args, func(argument string) bool {
		return r.vault.Dir != "" && slices.Contains(schemas.In(filepath.Dir(r.vault.Dir)).Read(r.opt.Harness, server, tool), argument)
	})
	return ruleset.Split(all, r.opt.Harness, ev.Session, r.owner(ev, server, tool))
}

// owner returns the name under which the server's chains are kept (see [ruleset.Split]).
func (r *run) owner(ev harnesses.Event, server, tool string) string {
	if r.can.MayOmitServer {
		return server
	}
	return cmp.Or(ev.Server, strings.TrimSuffix(ev.Name, tool))
}

func (r *run) collections(ev harnesses.Event, server, tool string) ruleset.Collections {
	return ruleset.In(r.vault, r.set().For(server), r.opt.Harness, ev.Session, r.owner(ev, server, tool))
}

// load returns the state of a set's session. Without a session it is made from current.token.
func (r *run) load(s ruleset.Set) (carry.State, error) {
	if s.Session != "" {
		return r.vault.Load(s.Harness, s.Session)
	}
	at := slices.IndexFunc(s.Rules, func(rule carry.Rule) bool { return rule.Name == rules.Token })
	if at < 0 {
		return carry.State{}, nil
	}
	value, err := r.current.Load()
	if err != nil || value == "" {
		return carry.State{}, err
	}
	return carry.Stored(s.Rules[at].Server, value), nil
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
