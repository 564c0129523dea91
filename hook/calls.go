package hook

import (
	"cmp"
	"path/filepath"
	"slices"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/hook/journal"
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
			return r.can.Deny("wsi refused this call: " + printable.Inert(cmp.Or(d.ModelNotice, d.Why)))
		}
		r.note(carry.Decision{Action: carry.Left, Why: "this harness does not let a hook deny a call: " + d.Why})
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
	if err := r.current.Save(o.Current); err != nil {
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

// after captures the values of a call's result. It answers if a rule wants the model to read members of the result's _meta.
func (r *run) after(ev harnesses.Event, sets []ruleset.Set, call ruleset.Call) ([]byte, error) {
	if err := r.remember(ev); err != nil {
		return nil, err
	}
	told := ""
	each := make([]carry.Decision, len(sets))
	for i, s := range sets {
		c, err := r.capture(ev, s, call)
		if err != nil {
			return nil, err
		}
		each[i], told = c.Decision, told+c.Told
		switch { // what one rule injects, another one may replace
		case c.Sent:
			r.entry.Sent = journal.With
		case c.Unsent && r.entry.Sent == "":
			r.entry.Sent = journal.Without
		}
	}
	if r.can.Add == nil {
		told = ""
	}
	d, err := r.collections(ev, r.entry.Server, call.Tool).Keep(call.Call, ev.Result, ruleset.Together(each), told)
	if r.note(d); err != nil {
		return nil, err
	}
	if told != "" {
		return r.can.Add(ev.Kind, ruleset.Notice(r.entry.Server, told)), nil
	}
	return nil, nil
}

func (r *run) capture(ev harnesses.Event, s ruleset.Set, call ruleset.Call) (c ruleset.Captured, err error) {
	port := resultPort{r, ev, call}
	if s.Session == "" {
		c = s.After(new(carry.State), ev.Result, port)
	} else if c, err = s.Capture(r.vault, ev.Result, port); err != nil {
		return c, err
	} else if c.Begins {
		journal.In(filepath.Dir(r.vault.Dir)).Prune(r.start)
	}
	return c, r.current.Save(c.Current)
}

// resultPort is what the hook knows about a result; it is a [ruleset.Port].
type resultPort struct {
	run  *run
	ev   harnesses.Event
	call ruleset.Call
}

// Sent implements [ruleset.Port].
func (p resultPort) Sent(s ruleset.Set, rule *carry.Rule, state *carry.State) (call carry.Call, ok bool) {
	call = rule.Sent(state, p.call.For(rule))
	return call, !p.run.anonymous(p.ev) || rule.Likely(state, p.run.foreignTools(p.ev, s, state, call.Tool), call)
}

// Unseen notes the call if its result may appear in a transcript.
func (p resultPort) Unseen(state *carry.State, result carry.Result, d *carry.Decision) {
	n := d.Note
	n.Files, n.From = p.run.transcripts(p.ev)
	if p.run.hidesMeta() && p.call.ID != "" && len(n.Files) > 0 {
		n.Answered, n.Failed = true, result.Error
		state.AddNote(n)
		*d = carry.Decision{Action: carry.Noted, Why: d.Why}
	} else if p.ev.Kind == harnesses.After {
		carry.GiveUp(state, n, result)
	}
}

// Keep implements [ruleset.Port].
func (resultPort) Keep(c ruleset.Captured) bool { return len(c.Rules) > 0 }
