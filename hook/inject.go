package hook

import (
	"cmp"
	"slices"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/hook/ruleset"
)

// before decides what becomes of a call before it is made, and answers.
func (r *run) before(ev harnesses.Event, shelves []ruleset.Set, call carry.Call) ([]byte, error) {
	each := make([]carry.Decision, len(shelves))
	err := ruleset.InTurn(len(shelves), func(i int) (carry.Decision, error) {
		d, err := r.inject(ev, shelves[i], call)
		if d.Changes() {
			call.Args = d.Change.Args
		}
		each[i] = d
		return d, err
	})
	if err != nil {
		return nil, err
	}
	return r.render(ruleset.Together(each)), nil
}

// render puts a decision about a call into the journal and into the dialect's words.
func (r *run) render(d carry.Decision) []byte {
	r.note(d)
	switch {
	case d.Action == carry.Denied:
		if r.can.Deny != nil {
			return r.can.Deny("wsi held this call back: " + cmp.Or(d.ModelNotice, d.Why))
		}
		r.note(carry.Decision{Action: carry.Left, Why: "to be denied, which this harness does not let a hook do: " + d.Why})
	case d.Changes():
		return r.dialect.Answer(d.Change)
	case d.ModelNotice != "":
		if r.can.Tell != nil {
			return r.can.Tell("wsi: " + d.ModelNotice)
		}
	}
	return nil
}

// inject decides what becomes of a call by the rules of one shelf.
func (r *run) inject(ev harnesses.Event, s ruleset.Set, call carry.Call) (carry.Decision, error) {
	state, err := r.load(s)
	if err != nil {
		return carry.Decision{}, err
	}
	if r.anonymous(ev) && slices.Contains(r.foreignTools(ev, s, &state, call), call.Tool) {
		return carry.Decision{Action: carry.Left, Why: "another server has a tool of this name"}, nil
	}
	call.Others = s.Others(r.vault)
	if r.can.OmitsAgent {
		s.Doubt(&state)
	}
	d, each := s.Decide(&state, r.session, call)
	if r.can.OmitsAgent {
		return d, nil
	}
	var awaited []carry.Note
	for i := range s.Rules {
		if !each[i].Final {
			awaited = append(awaited, state.Awaited(s.Rules[i].Server, r.caller(&s.Rules[i], call).Agent)...)
		}
	}
	results, missing := r.await(awaited)
	noted := r.toNote(s, &state, call)
	if len(awaited) == 0 && len(noted) == 0 && !s.Bind(&state, r.session, call, each) {
		return d, nil
	}
	var captured string
	err = r.vault.Update(s.Harness, s.Session, func(state *carry.State) bool {
		captured = r.settle(s, state, awaited, results)
		var each []carry.Decision
		d, each = s.Decide(state, r.session, call)
		if missing && slices.ContainsFunc(each, func(d carry.Decision) bool { return d.Action == carry.Injected }) {
			// The result not seen may hold a newer value; an older one would rewind the
			// server's session.
			for i := range each {
				each[i] = s.Rules[i].Waits(call)
			}
			d, each = ruleset.Together(each), nil
		}
		s.Bind(state, r.session, call, each)
		sent := call
		if d.Changes() {
			sent.Args = d.Change.Args
		}
		if d.Action == carry.Denied { // then there will be no result
			return true
		}
		for _, rule := range noted {
			state.AddNote(r.take(ev, rule.Note(r.caller(rule, sent))))
		}
		return true
	})
	if err != nil {
		return carry.Decision{}, err
	}
	if err := r.keepCurrent(captured); err != nil {
		d.Why = err.Error() // its second place only: the call is to be right all the same
	}
	return d, nil
}

// toNote returns the rules for which a call must be noted before it is made, for its harness may not
// show how it ended.
func (r *run) toNote(s ruleset.Set, state *carry.State, call carry.Call) (noted []*carry.Rule) {
	if !r.can.NoHookAfterFailure {
		return nil
	}
	for i := range s.Rules {
		if rule := &s.Rules[i]; state.Knows(rule.Server) && rule.Takes(call.Tool) != "" {
			noted = append(noted, rule)
		}
	}
	return noted
}

// settle gives the results of noted calls to the engine, in the order of the calls, and returns the
// value captured last that has a second place, "" for none.
func (r *run) settle(s ruleset.Set, state *carry.State, awaited []carry.Note, results map[string]carry.Result) (captured string) {
	shown := map[string]bool{}
	var unseen []carry.Note
	for _, n := range awaited {
		result, found := results[key(n)]
		rule := ruleOf(s, n)
		if !found || rule == nil {
			state.Missed(n)
			continue
		}
		d := carry.Settle(rule, state, n, result)
		if d.Action == carry.Captured && r.isCurrent(rule) {
			captured = d.Value
		}
		if d.Unseen {
			unseen = append(unseen, n)
		} else {
			shown[key(n)] = true
		}
		state.Forget(n)
	}
	for _, n := range unseen {
		if !shown[key(n)] { // else another rule's value was what the tool hands out
			carry.GiveUp(state, n, results[key(n)])
		}
	}
	return captured
}

// ruleOf returns the rule of a note, nil if it is no longer in force.
func ruleOf(s ruleset.Set, n carry.Note) *carry.Rule {
	for i := range s.Rules {
		if s.Rules[i].Server == n.Server {
			return &s.Rules[i]
		}
	}
	return nil
}
