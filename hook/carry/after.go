package carry

import "slices"

// After takes the value out of a call's result and makes it the newest of its chain. Where the
// result holds none it says so with Unseen; the caller knows whether it may still appear elsewhere.
func After(rule *Rule, state *State, call Call, result Result) Decision {
	note := rule.Note(call)
	state.recall(&note)
	state.Forget(note)
	state.count(&note)
	if !rule.hands(call.Tool) {
		return Decision{Did: Left, Why: "the tool hands out no value"}
	}
	d := Settle(rule, state, note, result)
	d.Unseen = d.Unseen && rule.Awaits(note, call.Tool)
	return d
}

// Settle does After's work for a call that was noted earlier. What becomes of the call's agent and of the
// chains is the table in docs/state.md.
func Settle(rule *Rule, state *State, note Note, result Result) Decision {
	all, why := find(rule, result, func(h handed) bool { return state.canBeOf(rule, note, h) })
	if note.Opens && rule.lost(result) {
		return state.replaced(rule, note, all)
	}
	d := Decision{Did: Left, Why: why}
	if c := state.asked(note); !note.Answered && c != nil { // else it was settled once, and its agent was moved by that
		late := !c.heads(note.Asked) && !c.stillAt(note.Asked)
		note.Back, note.Elsewhere = late && note.Back, late && state.elsewhere(note, c)
		if u := state.use(note.Server, note.Agent); late && !note.Elsewhere && u != nil {
			note.Side = u.Side
		}
	}
	if len(all) == 0 {
		state.unanswered(note)
	}
	for _, h := range all {
		if one := state.settle(rule, note, h); d.Did != Captured {
			d = one
		}
	}
	d.Shown, d.Unseen, d.Note = len(all) > 0, len(all) == 0, note
	return d
}

// elsewhere tells whether a note's agent is known to work with another chain than that of the value which
// its call carried, or with none. If it has gone on since, that says nothing.
func (s *State) elsewhere(n Note, c *Chain) bool {
	u := s.use(n.Server, n.Agent)
	return u == nil || u.At <= n.At && (u.Joined || u.Lost || u.Chain != c.ID)
}

// unanswered is for a call whose result shows no value: it says with what its agent works all the same. A
// value of no chain says that it is none of them, a damaged one says nothing.
func (s *State) unanswered(n Note) {
	if n.Asked == "" || n.Handle || n.Opens {
		return
	}
	switch c := s.asked(n); {
	case c != nil:
		c.claim()
		s.works(n, c.ID)
		if u := s.use(n.Server, n.Agent); u.At == n.At && !c.heads(n.Asked) && slices.Contains(c.Branches, n.Asked) { // from it, or from the newest?
			u.Unsure = true
		}
	case n.Whole:
		s.loses(n)
	}
}

var stored = Decision{Did: Left, Why: "already stored"}

// settle puts one value that was handed out where it belongs.
func (s *State) settle(rule *Rule, n Note, h handed) Decision {
	if rule.Single {
		*s = Stored(rule.Server, h.value)
		return Decision{Did: Captured, Value: h.value}
	}
	d, c := digest(h.value), s.target(n)
	if rule.keyed() {
		s.unanswered(n)
	}
	if known := s.chainWith(rule.Server, d); known != nil && (c == nil || n.Asked == "" || rule.keyed() && c.ID == known.ID) {
		s.resume(n, known)
		return stored
	}
	if d == n.Asked {
		s.unanswered(n)
		return Decision{Did: Left, Why: "the result repeats the value of the call"}
	}
	if rule.keyed() {
		return s.settleKeyed(rule, n, h)
	}
	n.Child = n.Child || s.childOf(rule, n, h.value)
	switch {
	case c == nil, n.Asked == "" && !c.owns(h.key):
		s.open(n, h.value, h.key)
		return Decision{Did: Captured, Value: h.value}
	case n.Asked == "" && rule.precedes(h.value, c.Value):
		return c.passOver(rule, h.value)
	}
	at, done := c.ID, Decision{Did: Captured, Value: h.value}
	switch {
	case n.Asked == "", c.heads(n.Asked), c.lost():
		s.advance(rule, c, n, h.value, h.key)
	case c.heads(d): // the same bytes for two calls of one second
		c.By, done = n.Agent, stored
	case n.Changes && c.stillAt(n.Asked): // of the answers since the last change the one counts that changed something
		s.advance(rule, c, n, h.value, h.key)
	case c.stillAt(n.Asked):
		done = c.equals(rule, n, h.value)
	default:
		return s.late(rule, c, n, h)
	}
	if !n.Handle {
		s.works(n, at)
	}
	return done
}

// late is for the answer to a value that the chain has left behind. If the call went back to it, its
// agent goes a way of its own from there. If it was overtaken, the agent goes on with the chain, and the
// answer waits for somebody who carries it.
func (s *State) late(rule *Rule, c *Chain, n Note, h handed) Decision {
	if n.Handle || !n.Back && !n.Changes && c.By == n.Agent { // in the last case by a call that was made beside it
		if !n.Handle {
			s.works(n, c.ID)
		}
		return c.passOver(rule, h.value)
	}
	goes, from := n.Back || n.Elsewhere, c.ID
	aside := s.aside(rule, n, h, goes)
	s.works(n, from)
	if u := s.use(n.Server, n.Agent); u.At == n.At {
		u.Side, u.Back = aside, goes
	}
	if !goes {
		return Decision{Did: Left, Why: "the chain has gone on since this call"}
	}
	return Decision{Did: Captured, Value: h.value}
}

// aside puts a late answer into a chain beside the one that has gone on, and returns its id. Two answers to one value are
// of one chain, if it is the same agent's who went back twice, or if both came from elsewhere.
func (s *State) aside(rule *Rule, n Note, h handed, goes bool) int {
	if y := s.chain(n.Side); n.Side != 0 && y != nil && y.Aside == n.Asked {
		y.joins(rule, n, h.value, goes)
		return y.ID
	}
	d := digest(h.value)
	if y := s.asideFrom(n); n.Elsewhere && y != nil {
		id := y.ID
		if n.Changes {
			s.advance(rule, y, n, h.value, h.key)
		} else {
			y.joins(rule, n, h.value, goes)
		}
		return id
	}
	y := Chain{ID: s.Next, Server: n.Server, Key: h.key, Aside: n.Asked, By: n.Agent, Seen: []string{d}}
	if !n.Changes {
		y.Since = []string{n.Asked}
	}
	if goes {
		y.Value = h.value
	} else {
		y.Peers, y.Older = []string{d}, []string{h.value}
	}
	s.add(y)
	return y.ID
}

// asideFrom returns the chain begun last that began aside from the value which a note's call carried, or was
// gone on from before it changed the session; nil if there is none.
func (s *State) asideFrom(n Note) (y *Chain) {
	for i := range s.Chains {
		c := &s.Chains[i]
		if c.Server == n.Server && c.Aside != "" && c.stillAt(n.Asked) && (y == nil || c.ID > y.ID) {
			y = c
		}
	}
	return y
}

// settleKeyed is settle where something outside the value names its chain.
func (s *State) settleKeyed(rule *Rule, note Note, h handed) Decision {
	if h.key == "" {
		return Decision{Did: Left, Why: "the result does not say what the value belongs to"}
	}
	if c := s.keyed(rule.Server, h.key); c == nil {
		s.open(note, h.value, h.key)
	} else {
		at := c.ID
		s.advance(rule, c, note, h.value, h.key)
		if !note.Handle {
			s.works(note, at)
		}
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

// resume notes that an agent goes on with a chain whose value stays the same.
func (s *State) resume(n Note, c *Chain) {
	switch u := s.use(n.Server, n.Agent); {
	case n.Child && u != nil && u.Chain != c.ID:
		s.doubts(n, u)
	case n.Opens && !n.Child, !n.Handle && n.Asked != "":
		s.works(n, c.ID)
	}
}

// GiveUp is for a result that Settle or After found no value in, when there is nowhere else to look.
// A result that opens a chain always hands one out, and one that the harness hides may have.
func GiveUp(state *State, note Note, result Result) {
	if !result.Error && (note.Opens || result.Hidden) {
		state.lose(note)
	}
}
