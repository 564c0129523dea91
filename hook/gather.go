package hook

import (
	"cmp"
	"errors"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/hook/ruleset"
	"wsi/hook/vault"
	"wsi/internal/lists"
)

// gather puts the collections that a call takes into it.
func (r *run) gather(ev harnesses.Event, call ruleset.Call, o *ruleset.Outcome) error {
	collections := r.collections(ev, r.entry.Server, call.Tool)
	if !collections.Gathers(call.Tool) || o.Action == carry.Denied {
		return nil
	}
	missing, err := r.complete(ev)
	err = errors.Join(err, collections.Gather(call.Call, o))
	if missing {
		o.Why = cmp.Or(o.Why, "the transcript does not show all results, so values may be missing")
	}
	return err
}

// complete adds to the collections what earlier results have for them and no hook has seen yet. It waits for those of the session; the
// others are of sessions that ended before their next hook.
func (r *run) complete(ev harnesses.Event) (missing bool, err error) {
	if r.can.Transcripts == nil {
		return false, nil
	}
	state, err := r.vault.Load(r.opt.Harness, ev.Session)
	if err != nil {
		return false, err
	}
	unkept := func(all []carry.Pending) []metaCall {
		return lists.Filter(r.metaCalls(ev, all), func(c metaCall) bool { return !c.Kept && c.server == r.entry.Server })
	}
	calls := unkept(state.Pending)
	missing = r.lookFor(calls, r.longest(state.Overdue))
	for _, other := range r.vault.Others(r.opt.Harness, ev.Session, vault.MaxOthers) {
		more := unkept(other.Pending)
		r.lookFor(more, 0)
		calls = append(calls, more...)
	}
	var errs []error
	for _, c := range calls {
		if !c.found && !(missing && c.Session == ev.Session) {
			continue
		}
		if c.found {
			_, err := r.collections(c.ev, c.server, c.call.Tool).Keep(c.call.Call, c.result, carry.Decision{}, "")
			errs = append(errs, err)
		}
		errs = append(errs, r.vault.Update(r.opt.Harness, c.Session, func(s *carry.State) bool {
			s.Overdue = s.Overdue || !c.found
			return !c.found || s.Keep(c.Pending)
		}))
	}
	return missing, errors.Join(errs...)
}
