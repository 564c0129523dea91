package hook

import (
	"slices"

	"wsi/harnesses"
	"wsi/hook/carry"
)

// inject decides what becomes of a call before it is made.
func (r *run) inject(ev harnesses.Event, rule *carry.Rule, call carry.Call) (*carry.Change, error) {
	state, err := r.load(ev, rule)
	if err != nil {
		return nil, err
	}
	if r.anonymous(ev) && slices.Contains(state.Foreign, call.Tool) {
		r.note(carry.Decision{Did: carry.Left, Why: "another server has a tool of this name"})
		return nil, nil
	}
	d := carry.Before(rule, &state, call)
	var awaited []carry.Note
	if !d.Final {
		awaited = state.Awaited(rule.Server, call.Agent)
	}
	results, missing := r.await(awaited)
	_, forgetful := r.dialect.(harnesses.Forgetful)
	noted := forgetful && len(state.Chains) > 0 && rule.Takes(call.Tool)
	if len(awaited) > 0 || noted {
		var captured string
		err = r.vault.Update(r.opt.Harness, ev.Session, func(s *carry.State) bool {
			captured = settle(rule, s, awaited, results)
			d = carry.Before(rule, s, call)
			if missing && d.Did == carry.Injected {
				// The result not seen may hold a newer value; an older one would rewind the
				// server's session.
				d = carry.Decision{Did: carry.Left, Why: "the last result is not in the transcript yet"}
			}
			if noted {
				sent := call
				if d.Did == carry.Injected {
					sent.Args = d.Change.Args
				}
				s.AddNote(r.take(ev, rule.Note(sent)))
			}
			return true
		})
		if err != nil {
			return nil, err
		}
		err = r.keepCurrent(captured)
	}
	r.note(d)
	if err != nil {
		r.entry.Why = err.Error() // its second place only: the call is to be right all the same
	}
	if d.Did != carry.Injected {
		return nil, nil
	}
	return &d.Change, nil
}

// settle gives the results of noted calls to the engine, in the order of the calls, and returns
// the value captured last, "" for none.
func settle(rule *carry.Rule, s *carry.State, awaited []carry.Note, results map[string]carry.Result) (captured string) {
	for _, n := range awaited {
		result, found := results[key(n)]
		if !found {
			s.Missed(n.ID, n.Agent)
			continue
		}
		d := carry.Settle(rule, s, n, result)
		if d.Did == carry.Captured {
			captured = d.Value
		}
		if d.Unseen {
			carry.GiveUp(s, n, result)
		}
		s.Forget(n.ID, n.Agent)
	}
	return captured
}

// load returns the session's state. Without a session it is what current.token says.
func (r *run) load(ev harnesses.Event, rule *carry.Rule) (carry.State, error) {
	if ev.Session != "" {
		return r.vault.Load(r.opt.Harness, ev.Session)
	}
	if r.current == nil {
		return carry.State{}, nil
	}
	value, err := r.current.Load()
	if err != nil || value == "" {
		return carry.State{}, err
	}
	return carry.Stored(rule.Server, value), nil
}
