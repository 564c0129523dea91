package hook

import (
	"slices"

	"wsi/harnesses"
	"wsi/hook/carry"
)

// before decides what becomes of a call before it is made, and answers.
func (r *run) before(ev harnesses.Event, shelves []shelf, call carry.Call) ([]byte, error) {
	each := make([]carry.Decision, len(shelves))
	err := inTurn(len(shelves), func(i int) (carry.Decision, error) {
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
	return r.render(together(each)), nil
}

// inTurn asks one after the other. Whoever holds an alias for nobody's is asked again when all others
// have had a look at it, if they changed anything.
func inTurn(n int, ask func(i int) (carry.Decision, error)) error {
	var again []int
	changed := false
	for i := range n {
		d, err := ask(i)
		if err != nil {
			return err
		}
		if d.Did == carry.Denied && d.Alien {
			again = append(again, i)
		}
		changed = changed || d.Changes()
	}
	if !changed {
		return nil
	}
	for _, i := range again {
		if _, err := ask(i); err != nil {
			return err
		}
	}
	return nil
}

// together is what comes of several decisions about one call.
func together(each []carry.Decision) (all carry.Decision) {
	for i, d := range each {
		if i > 0 {
			d = all.And(d)
		}
		all = d
	}
	return all
}

// render puts a decision about a call into the journal and into the dialect's words.
func (r *run) render(d carry.Decision) []byte {
	r.note(d)
	switch {
	case d.Did == carry.Denied:
		if denier, can := r.dialect.(harnesses.Denier); can {
			return denier.Deny("wsi held this call back: " + d.Why)
		}
		r.note(carry.Decision{Did: carry.Left, Why: "to be denied, which this harness does not let a hook do: " + d.Why})
	case d.Changes():
		return r.dialect.Answer(d.Change)
	case d.Tell != "":
		if teller, can := r.dialect.(harnesses.Teller); can {
			return teller.Tell("wsi: " + d.Tell)
		}
	}
	return nil
}

// inject decides what becomes of a call by the rules of one shelf.
func (r *run) inject(ev harnesses.Event, s shelf, call carry.Call) (carry.Decision, error) {
	state, err := r.load(s)
	if err != nil {
		return carry.Decision{}, err
	}
	if r.anonymous(ev) && slices.Contains(r.foreignTools(ev, s, &state, call), call.Tool) {
		return carry.Decision{Did: carry.Left, Why: "another server has a tool of this name"}, nil
	}
	call.Others = r.others(s.harness, s.session)
	d, each := r.decide(s, &state, call)
	var awaited []carry.Note
	for i := range s.rules {
		if !each[i].Final {
			awaited = append(awaited, state.Awaited(s.rules[i].Server, r.caller(&s.rules[i], call).Agent)...)
		}
	}
	results, missing := r.await(awaited)
	noted := r.toNote(s, &state, call)
	if len(awaited) == 0 && len(noted) == 0 && !r.join(s, &state, call, each) {
		return d, nil
	}
	var captured string
	err = r.vault.Update(s.harness, s.session, func(state *carry.State) bool {
		captured = r.settle(s, state, awaited, results)
		var each []carry.Decision
		d, each = r.decide(s, state, call)
		if missing && slices.ContainsFunc(each, func(d carry.Decision) bool { return d.Did == carry.Injected }) {
			// The result not seen may hold a newer value; an older one would rewind the
			// server's session.
			d, each = carry.Decision{Did: carry.Left, Why: "the last result is not in the transcript yet"}, nil
		}
		r.join(s, state, call, each)
		sent := call
		if d.Changes() {
			sent.Args = d.Change.Args
		}
		if d.Did == carry.Denied { // then there will be no result
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

// join notes whom a value was given to for the first time, and tells whether that is anything new.
func (r *run) join(s shelf, state *carry.State, call carry.Call, each []carry.Decision) (joined bool) {
	for i := range each {
		joined = state.Join(&s.rules[i], r.caller(&s.rules[i], call), each[i]) || joined
	}
	return joined
}

// toNote returns the rules for which a call must be noted before it is made, for its harness may not
// show how it ended.
func (r *run) toNote(s shelf, state *carry.State, call carry.Call) (noted []*carry.Rule) {
	if _, forgetful := r.dialect.(harnesses.Forgetful); !forgetful {
		return nil
	}
	for i := range s.rules {
		if rule := &s.rules[i]; state.Knows(rule.Server) && rule.Takes(call.Tool) != "" {
			noted = append(noted, rule)
		}
	}
	return noted
}

// decide asks every rule of the shelf, and returns what comes of it all and of each.
func (r *run) decide(s shelf, state *carry.State, call carry.Call) (all carry.Decision, each []carry.Decision) {
	each = make([]carry.Decision, len(s.rules))
	_ = inTurn(len(s.rules), func(i int) (carry.Decision, error) { // asking a rule never fails
		each[i] = carry.Before(&s.rules[i], state, r.caller(&s.rules[i], call))
		if each[i].Changes() {
			call.Args = each[i].Change.Args
		}
		return each[i], nil
	})
	return together(each), each
}

// settle gives the results of noted calls to the engine, in the order of the calls, and returns the
// value captured last that has a second place, "" for none.
func (r *run) settle(s shelf, state *carry.State, awaited []carry.Note, results map[string]carry.Result) (captured string) {
	shown := map[string]bool{}
	var unseen []carry.Note
	for _, n := range awaited {
		result, found := results[key(n)]
		rule := s.of(n)
		if !found || rule == nil {
			state.Missed(n)
			continue
		}
		d := carry.Settle(rule, state, n, result)
		if d.Did == carry.Captured && r.isCurrent(rule) {
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

// of returns the rule of a note, nil if it is no longer in force.
func (s shelf) of(n carry.Note) *carry.Rule {
	for i := range s.rules {
		if s.rules[i].Server == n.Server {
			return &s.rules[i]
		}
	}
	return nil
}
