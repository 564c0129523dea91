package carry

import "slices"

// After takes the value out of a call's result and makes it the newest of its chain. Where the
// result holds none it says so with Unseen; the caller knows whether it may still appear elsewhere.
func After(rule *Rule, state *State, call Call, result Result) Decision {
	note := rule.Note(call)
	state.Forget(note)
	if !rule.hands(call.Tool) {
		return Decision{Did: Left, Why: "the tool hands out no value"}
	}
	d := Settle(rule, state, note, result)
	d.Unseen = d.Unseen && rule.Awaits(note, call.Tool)
	return d
}

// Settle does After's work for a call that was noted earlier.
func Settle(rule *Rule, state *State, note Note, result Result) Decision {
	all, why := find(rule, result)
	d := Decision{Did: Left, Why: why}
	for _, h := range all {
		if one := state.settle(rule, note, h); d.Did != Captured {
			d = one
		}
	}
	d.Shown, d.Unseen = len(all) > 0, len(all) == 0
	return d
}

// settle puts one value that was handed out where it belongs.
func (s *State) settle(rule *Rule, note Note, h handed) Decision {
	if rule.Single {
		s.only(rule.Server, h.value)
		return Decision{Did: Captured, Value: h.value}
	}
	d := digest(h.value)
	if known := s.chainWith(rule.Server, d); known != nil {
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
	case note.Asked == "" && !note.Opens && rule.precedes(h.value, c.Value):
		return s.passOver(rule, c, h.value)
	case note.Opens, c.Value == "", note.Asked == "", note.Asked == digest(c.Value):
		s.advance(c, note, h.value, h.key, rule.keeps())
	case c.From == note.Asked && c.Minor && note.Changes:
		// Two answers to one value: the one that changed something is to go on from.
		s.advance(c, note, h.value, h.key, rule.keeps())
	case slices.Contains(c.Branches, note.Asked) || !s.at(note, c):
		// Somebody goes on from a value that the chain has left behind: a way of their own.
		s.open(note, h.value, h.key)
	default:
		return s.passOver(rule, c, h.value)
	}
	return Decision{Did: Captured, Value: h.value}
}

// settleKeyed is settle where something outside the value names its chain.
func (s *State) settleKeyed(rule *Rule, note Note, h handed) Decision {
	if h.key == "" {
		return Decision{Did: Left, Why: "the result does not say what the value belongs to"}
	}
	if c := s.keyed(rule.Server, h.key); c != nil {
		s.advance(c, note, h.value, h.key, rule.keeps())
	} else {
		s.open(note, h.value, h.key)
	}
	return Decision{Did: Captured, Value: h.value}
}

// passOver notes the late answer to an older value: the chain has gone on since. It is known from
// here on, but not the newest.
func (s *State) passOver(rule *Rule, c *Chain, value string) Decision {
	c.Branches = remember(c.Branches, digest(value))
	if rule.Alias { // the model is shown an alias of it
		c.Older = append(slices.Clip(c.Older), value)
		c.Older = c.Older[max(0, len(c.Older)-rule.keeps()+1):]
	}
	return Decision{Did: Left, Why: "the chain has gone on since this call"}
}

// owns tells whether a value of that key can be the chain's.
func (c *Chain) owns(key string) bool { return c.Key == "" || key == "" || c.Key == key }

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

// resume notes that an agent goes on with a chain whose value stays the same.
func (s *State) resume(n Note, c *Chain) {
	switch u := s.use(n.Server, n.Agent); {
	case n.Child && u != nil && u.Chain != c.ID:
		u.Unsure = true
	case n.Opens && !n.Child, !n.Handle && n.Asked != "" && n.Asked == digest(c.Value):
		s.works(n.Server, n.Agent, c.ID)
	}
}

// only makes a value the one that everybody gets.
func (s *State) only(server, value string) {
	*s = Stored(server, value)
}

// at tells whether the note's agent is known to work with the chain.
func (s *State) at(n Note, c *Chain) bool {
	u := s.use(n.Server, n.Agent)
	return u != nil && u.Chain == c.ID
}

// GiveUp is for a result that Settle or After found no value in, when there is nowhere else to look.
// A result that opens a chain always hands one out, and one that the harness hides may have.
func GiveUp(state *State, note Note, result Result) {
	if !result.Error && (note.Opens || result.Hidden) {
		state.lose(note)
	}
}
