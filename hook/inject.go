package hook

import (
	"cmp"
	"slices"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/hook/ruleset"
	"wsi/internal/printable"
)

func (r *run) before(ev harnesses.Event, sets []ruleset.Set, call ruleset.Call) ([]byte, error) {
	o, err := ruleset.Before(sets, call, func(s ruleset.Set, call ruleset.Call) (ruleset.Outcome, error) {
		return r.inject(ev, s, call)
	})
	if err == nil {
		err = r.gather(ev, call, &o)
	}
	if err != nil {
		return nil, err
	}
	return r.render(o.Decision), nil
}

// render records a decision about a call in the journal entry, and returns the harness's form of it.
func (r *run) render(d carry.Decision) []byte {
	r.note(d)
	switch {
	case d.Action == carry.Denied:
		if r.can.Deny != nil {
			return r.can.Deny("wsi held this call back: " + printable.Inert(cmp.Or(d.ModelNotice, d.Why)))
		}
		r.note(carry.Decision{Action: carry.Left, Why: "to be denied, which this harness does not let a hook do: " + d.Why})
	case d.Changes():
		return r.codec.Answer(d.Change)
	case d.ModelNotice != "":
		if r.can.Tell != nil {
			return r.can.Tell("wsi: " + printable.Inert(d.ModelNotice))
		}
	}
	return nil
}

func (r *run) inject(ev harnesses.Event, s ruleset.Set, call ruleset.Call) (o ruleset.Outcome, err error) {
	state, err := r.load(s)
	if err != nil {
		return o, err
	}
	if r.anonymous(ev) && slices.Contains(r.foreignTools(ev, s, &state, call.Tool), call.Tool) {
		o.Decision = carry.Decision{Action: carry.Left, Why: "another server has a tool of this name"}
		return o, nil
	}
	call.Others = s.Others(r.vault)
	o = s.Decide(&state, call)
	late := r.late(ev, s, &state, call, o)
	if late.Empty() && !s.Bind(&state, call, o.Each) {
		return o, nil
	}
	if o, err = s.Record(r.vault, call, o, late); err != nil {
		return o, err
	}
	if err := r.keepCurrent(o.Current); err != nil {
		o.Why = err.Error() // the copy in current.token does not matter for the call
	}
	return o, nil
}

// late waits for the results of earlier calls that decide this one. It also says whether this call must be
// noted before it is made, because the harness may not show how it ended.
func (r *run) late(ev harnesses.Event, s ruleset.Set, state *carry.State, call ruleset.Call, o ruleset.Outcome) (l ruleset.Late) {
	known := map[string]bool{} // by rule: there is a value, which only some calls change
	for i := range s.Rules {
		rule := &s.Rules[i]
		if !o.Each[i].Final {
			l.Awaited = append(l.Awaited, state.Awaited(rule.Server, call.For(rule).Agent)...)
			known[rule.Server] = o.Each[i].Action == carry.Injected
		}
		if r.can.NoHookAfterFailure && state.Knows(rule.Server) && rule.Takes(call.Tool) != "" {
			l.Noting = append(l.Noting, rule)
		}
	}
	l.Results, l.Missing = r.await(l.Awaited, state.Overdue, func(n carry.Note) bool {
		return n.Answered && (n.Opens || !n.Keeps || !known[n.Server])
	})
	if len(l.Noting) > 0 {
		l.Files, l.From = r.transcripts(ev)
	}
	return l
}
