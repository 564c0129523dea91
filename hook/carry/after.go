package carry

import "slices"

// After takes the value out of a call's result and makes it the newest of its chain. Where the
// result holds none it says so with Unseen; the caller knows whether it may still appear elsewhere.
func After(rule *Rule, state *State, call Call, result Result) Decision {
	note := rule.Note(call)
	state.Forget(note)
	state.count(&note)
	if !rule.hands(call.Tool) {
		return Decision{Did: Left, Why: "the tool hands out no value"}
	}
	d := Settle(rule, state, note, result)
	d.At = note.At
	d.Unseen = d.Unseen && rule.Awaits(note, call.Tool)
	return d
}

// Settle does After's work for a call that was noted earlier.
func Settle(rule *Rule, state *State, note Note, result Result) Decision {
	all, why := find(rule, result, func(h handed) bool { return state.canBeOf(rule, note, h) })
	if note.Opens && rule.lost(result) {
		return state.replaced(rule, note, all)
	}
	d := Decision{Did: Left, Why: why}
	known := state.asked(note)
	if len(all) == 0 && known != nil && !known.holds(note.Asked) { // nothing was gone on from
		known = state.chainWith(note.Server, note.Asked)
	}
	was := known != nil && state.at(note, known)
	state.carried(note, known, len(all) > 0)
	for _, h := range all {
		if one := state.settle(rule, note, h, was); d.Did != Captured {
			d = one
		}
	}
	d.Shown, d.Unseen = len(all) > 0, len(all) == 0
	return d
}

// carried notes that an agent goes on with the chain whose value its call carried, whatever the result
// is; c is nil if that is not known. After a whole value of elsewhere, and after one that was passed over
// and is not answered now, nobody can say what it goes on with; nor after a damaged one, if that can have
// been one that was passed over.
func (s *State) carried(n Note, c *Chain, answered bool) {
	switch {
	case n.Asked == "" || n.Handle || n.Opens:
	case c != nil && (c.heads(n.Asked) || answered && (c.holds(n.Asked) || c.stillAt(n.Asked)) || !s.passedOver(n.Server, n.Asked)):
		s.works(n, c.ID)
	case c != nil, n.Whole, s.hasPassedOver(n.Server):
		s.loses(n)
	}
}

// settle puts one value that was handed out where it belongs. was tells whether the agent worked with
// the chain of the call's value before.
func (s *State) settle(rule *Rule, note Note, h handed, was bool) Decision {
	if rule.Single {
		*s = Stored(rule.Server, h.value)
		return Decision{Did: Captured, Value: h.value}
	}
	d := digest(h.value)
	if known := s.chainWith(rule.Server, d); known != nil && known.holds(d) && !s.elsewhere(note, known) {
		s.resume(note, known)
		return Decision{Did: Left, Why: "already stored"}
	}
	if d == note.Asked {
		return Decision{Did: Left, Why: "the result repeats the value of the call"}
	}
	if rule.keyed() {
		return s.settleKeyed(rule, note, h)
	}
	note.Child = note.Child || s.childOf(rule, note, h.value)
	c := s.target(note)
	switch {
	case c == nil, note.Asked == "" && !c.owns(h.key):
		s.open(note, h.value, h.key)
	case note.Asked == "" && rule.precedes(h.value, c.Value):
		return c.passOver(rule, h.value)
	case c.Value == "", note.Asked == "", c.heads(note.Asked):
		s.advance(rule, c, note, h.value, h.key)
	case note.Changes && c.stillAt(note.Asked):
		// Of the answers since the last change that one is to go on from which changed something.
		s.advance(rule, c, note, h.value, h.key)
	case c.stillAt(note.Asked): // as good, and late
		c.Peers = remember(c.Peers, d)
		return c.keepOlder(rule, h.value)
	case slices.Contains(c.Branches, note.Asked):
		s.branchOff(note, h.value, h.key)
	case !was: // somebody goes on from a value that the chain has left behind: a way of their own
		s.open(note, h.value, h.key)
	default:
		return c.passOver(rule, h.value)
	}
	return Decision{Did: Captured, Value: h.value}
}

// settleKeyed is settle where something outside the value names its chain.
func (s *State) settleKeyed(rule *Rule, note Note, h handed) Decision {
	if h.key == "" {
		return Decision{Did: Left, Why: "the result does not say what the value belongs to"}
	}
	if c := s.keyed(rule.Server, h.key); c != nil {
		s.advance(rule, c, note, h.value, h.key)
	} else {
		s.open(note, h.value, h.key)
	}
	return Decision{Did: Captured, Value: h.value}
}

// precedes tells whether a value is no newer than another one, by what they say of themselves.
func (r *Rule) precedes(value, than string) bool {
	if r.Inside.Order == "" {
		return false
	}
	a, ok := Look(value)
	b, was := Look(than)
	if !ok || !was || a.Text(r.session()) != b.Text(r.session()) {
		return false
	}
	n, ok := a.Number(r.Inside.Order)
	m, was := b.Number(r.Inside.Order)
	return ok && was && n <= m
}

// childOf tells whether a value that opens a chain names one of the session's as its parent, though
// the call did not.
func (s *State) childOf(rule *Rule, note Note, value string) bool {
	if rule.Inside.ChildOf == "" || rule.session() == "" || !note.Opens || note.Asked != "" {
		return false
	}
	in, ok := Look(value)
	parent := in.Text(rule.Inside.ChildOf)
	if !ok || parent == "" {
		return false
	}
	return slices.ContainsFunc(s.values(rule.Server), func(c Candidate) bool {
		own, ok := Look(c.Value)
		return ok && own.Text(rule.session()) == parent
	})
}

// elsewhere tells whether a call continued another chain than the one that has its value already: two
// agents who do the same in the same second are given the same.
func (s *State) elsewhere(n Note, known *Chain) bool {
	c := s.target(n)
	return n.Asked != "" && c != nil && c.ID != known.ID
}

// resume notes that an agent goes on with a chain whose value stays the same.
func (s *State) resume(n Note, c *Chain) {
	switch u := s.use(n.Server, n.Agent); {
	case n.Child && u != nil && u.Chain != c.ID:
		s.doubts(n, u)
	case n.Opens && !n.Child, !n.Handle && n.Asked != "":
		s.works(n, c.ID)
	}
}

// at tells whether the note's agent is known to work with the chain, or has gone elsewhere since: then it
// goes no way of its own from there.
func (s *State) at(n Note, c *Chain) bool {
	u := s.use(n.Server, n.Agent)
	return u != nil && (u.Chain == c.ID || u.At > n.At)
}

// GiveUp is for a result that Settle or After found no value in, when there is nowhere else to look.
// A result that opens a chain always hands one out, and one that the harness hides may have.
func GiveUp(state *State, note Note, result Result) {
	if !result.Error && (note.Opens || result.Hidden) {
		state.lose(note)
	}
}
