package carry

import (
	"bytes"
	"slices"
)

// After captures the value of a call's result as the newest of its chain. If the result shows none, the
// decision is Unseen; the caller knows whether the value may still appear elsewhere.
func After(rule *Rule, state *State, call Call, result Result) Decision {
	note := rule.Note(call)
	if note.Whole && result.Error && state.asked(note) == nil {
		value, _ := rule.carriedIn(call.Args)
		note.Whole = !state.signed(rule.Server, value)
	}
	state.recall(&note)
	state.Forget(note)
	state.count(&note)
	if !rule.hands(call.Tool) {
		return Decision{Action: Left, Why: handsNone}
	}
	d := settle(rule, state, note, call.Args, result)
	d.Unseen = d.Unseen && rule.Awaits(note, call.Tool)
	return d
}

// signed reports whether the signature of a value is equal or near to that of a stored one. If so, a well-formed
// value that is not stored is a damaged copy.
func (s *State) signed(server, value string) bool {
	_, signature := split(value)
	return slices.ContainsFunc(s.values(server), func(c Candidate) bool {
		_, own := split(c.Value)
		return Apart(signature, own, maxForged) <= maxForged
	})
}

// Settle is After for a call that was noted earlier. The table in docs/state.md says how the state of the
// call's agent and of the chains changes.
func Settle(rule *Rule, state *State, note Note, result Result) Decision {
	return settle(rule, state, note, nil, result)
}

// settle is Settle with the call's arguments, nil if they are not known.
func settle(rule *Rule, state *State, note Note, args []byte, result Result) Decision {
	all, why := find(rule, args, result, func(h handed) bool { return state.canBeOf(rule, note, h) })
	if note.Opens && rule.lost(result) {
		return state.replaced(rule, note, all)
	}
	d := Decision{Action: Left, Why: why}
	if len(all) == 0 {
		state.unanswered(rule, &note, result.Error)
	}
	var sent []byte
	if len(all) > 0 && rule.constant() {
		sent, _ = unescape(args)
	}
	for _, h := range all {
		h.repeats = bytes.Contains(sent, []byte(`"`+h.value+`"`))
		one := state.settle(rule, &note, h)
		if c := state.chainWith(rule.Server, digest(h.value)); one.Action == Captured && c != nil {
			c.Shown = h.shown
		}
		if d.Action != Captured {
			d = one
		}
	}
	d.Shown, d.Unseen, d.Note = len(all) > 0, len(all) == 0, note
	return d
}

// unanswered settles a call whose result shows no value. The call still says which chain its agent works
// with. Unless it failed, its result may have had a value.
func (s *State) unanswered(rule *Rule, n *Note, failed bool) {
	if n.Asked == "" || n.Handle || n.Opens {
		return
	}
	if c := s.asked(*n); c != nil && !failed && !n.Answered && !c.heads(n.Asked) && !c.stillAt(n.Asked) {
		s.late(rule, c, n, handed{})
		return
	}
	s.carried(*n, failed)
}

// carried records that an agent works with the chain of the value in its call. If the value is of no chain and
// the server accepted it, the agent works with an unknown chain. A damaged value changes nothing.
func (s *State) carried(n Note, failed bool) {
	if n.Asked == "" || n.Handle || n.Opens {
		return
	}
	switch c := s.asked(n); {
	case c != nil:
		c.claim()
		s.bind(n, c.ID)
		if u := s.use(n.Server, n.Agent); u.At == n.At && !c.heads(n.Asked) && slices.Contains(c.Branches, n.Asked) { // the model may mean this value or the newest
			u.Unsure = true
		}
	case n.Whole && failed:
		s.markUnknown(n)
	case n.Whole:
		s.bind(n, unknown)
	}
}

var stored = Decision{Action: Left, Why: "already stored"}

// settle stores one value of a result in the chain it belongs to.
func (s *State) settle(rule *Rule, n *Note, h handed) Decision {
	if rule.Single {
		*s = Stored(rule.Server, h.value)
		return Decision{Action: Captured, Value: h.value}
	}
	d, c := digest(h.value), s.target(*n)
	if rule.keyed() {
		s.carried(*n, false)
	}
	if known := s.chainWith(rule.Server, d); known != nil && (c == nil || n.Asked == "" || rule.keyed() && c.ID == known.ID) {
		s.resume(*n, known)
		return stored
	}
	if d == n.Asked || h.repeats {
		s.carried(*n, false)
		return Decision{Action: Left, Why: "the result repeats the value of the call"}
	}
	if rule.keyed() {
		return s.settleKeyed(rule, *n, h)
	}
	n.Child = n.Child || s.childOf(rule, *n, h.value)
	switch {
	case c == nil, n.Asked == "" && !c.owns(h.key):
		s.open(*n, h.value, h.key)
		return Decision{Action: Captured, Value: h.value}
	case n.Asked == "" && rule.precedes(h.value, c.Value):
		return c.supersede(rule, h.value)
	}
	at, done := c.ID, Decision{Action: Captured, Value: h.value}
	switch {
	case n.Asked == "", c.heads(n.Asked), c.lost() && c.Aside == "":
		s.advance(rule, c, *n, h.value, h.key)
	case c.heads(d): // two calls in one second can get the same bytes
		c.By, done = n.Agent, stored
	case n.Changes && c.stillAt(n.Asked): // the answer that changed the session replaces those that did not
		s.advance(rule, c, *n, h.value, h.key)
	case c.stillAt(n.Asked):
		done = c.equals(rule, *n, h.value)
	default:
		return s.late(rule, c, n, h)
	}
	if !n.Handle {
		s.bind(*n, at)
	}
	return done
}

// late settles the answer to an older value of the chain; h is empty if the result does not show it. A call
// that began with an older value goes back; if the value became older while the call ran, another call has
// overtaken it. A call that goes back, or whose agent worked with another chain, starts a side chain that its
// agent continues. If a call was overtaken, its agent stays with the chain, and the side chain waits until a
// call carries its value. Of an agent's concurrent calls, the one that changed the session counts.
func (s *State) late(rule *Rule, c *Chain, n *Note, h handed) Decision {
	u := s.use(n.Server, n.Agent)
	switch {
	case n.Answered && n.Aside != 0: // it was settled before, without the value
		return s.put(rule, *n, h, u != nil && u.Side == n.Aside && u.Back)
	case n.Answered, n.Handle, !n.Back && !n.Changes && c.By == n.Agent:
		if !n.Handle {
			s.bind(*n, c.ID)
		}
		return c.supersede(rule, h.value)
	}
	elsewhere := u == nil || u.At <= n.At && (u.Joined || u.Chain != c.ID)
	goes, from := n.Back || elsewhere, c.ID
	n.Aside = s.aside(*n, u, elsewhere)
	done := s.put(rule, *n, h, goes)
	s.bind(*n, from)
	if u := s.use(n.Server, n.Agent); u.Chain == from { // a later call may have bound the agent elsewhere
		u.Side, u.Back = n.Aside, goes && u.At == n.At
	}
	return done
}

// aside returns the id of the side chain for a late answer. Two answers to one value share a chain if the
// same agent went back to it twice.
func (s *State) aside(n Note, u *Use, elsewhere bool) int {
	if !elsewhere {
		if y := s.side(u); y != nil && y.Aside == n.Asked {
			return y.ID
		}
	}
	y := Chain{ID: s.Next, Server: n.Server, Aside: n.Asked, By: n.Agent}
	if !n.Changes {
		y.Since = []string{n.Asked}
	}
	s.add(y)
	return y.ID
}

// put stores a late answer in its side chain. If goes is true, the call's agent continues that chain.
func (s *State) put(rule *Rule, n Note, h handed, goes bool) Decision {
	y := s.chain(n.Aside)
	if y == nil || h.value == "" {
		return passed
	}
	d := digest(h.value)
	switch {
	case y.heads(d):
		if y.By = n.Agent; goes {
			y.claim()
		}
	case len(y.Seen) == 0 && goes:
		y.Key, y.Seen, y.Value = h.key, []string{d}, h.value
	case len(y.Seen) == 0:
		y.Key, y.Seen, y.Equivalents, y.Older = h.key, []string{d}, []string{d}, []string{h.value}
	case n.Answered && !y.stillAt(n.Asked) && !(goes && y.waits()): // it was changed since
		return y.supersede(rule, h.value)
	case goes:
		y.prefers(rule, n, h.value)
	default:
		return y.equals(rule, n, h.value)
	}
	if !goes {
		return passed
	}
	return Decision{Action: Captured, Value: h.value}
}

// settleKeyed is settle for a rule that is keyed.
func (s *State) settleKeyed(rule *Rule, note Note, h handed) Decision {
	if h.key == "" {
		return Decision{Action: Left, Why: "the result does not say what the value belongs to"}
	}
	if c := s.keyed(rule.Server, h.key); c == nil {
		s.open(note, h.value, h.key)
	} else {
		at := c.ID
		s.advance(rule, c, note, h.value, h.key)
		if !note.Handle {
			s.bind(note, at)
		}
	}
	return Decision{Action: Captured, Value: h.value}
}

// precedes reports whether value is not newer than another one, by the member Inside.Order.
func (r *Rule) precedes(value, than string) bool {
	if r.Inside.Order == "" {
		return false
	}
	a, ok := Decode(value)
	b, was := Decode(than)
	if !ok || !was || a.Text(r.session()) != b.Text(r.session()) {
		return false
	}
	n, ok := a.Number(r.Inside.Order)
	m, was := b.Number(r.Inside.Order)
	return ok && was && n <= m
}

// childOf reports whether a value that opens a chain names a chain of this session as its parent, although
// the call did not.
func (s *State) childOf(rule *Rule, note Note, value string) bool {
	if rule.Inside.ChildOf == "" || rule.session() == "" || !note.Opens || note.Asked != "" {
		return false
	}
	in, ok := Decode(value)
	parent := in.Text(rule.Inside.ChildOf)
	if !ok || parent == "" {
		return false
	}
	return slices.ContainsFunc(s.values(rule.Server), func(c Candidate) bool {
		own, ok := Decode(c.Value)
		return ok && own.Text(rule.session()) == parent
	})
}

// resume records that an agent continues a chain whose value did not change.
func (s *State) resume(n Note, c *Chain) {
	switch u := s.use(n.Server, n.Agent); {
	case n.Child && u != nil && u.Chain != c.ID:
		s.markAmbiguous(n, u)
	case n.Opens && !n.Child, !n.Handle && n.Asked != "":
		s.bind(n, c.ID)
	}
}

// GiveUp records that the value of a result is lost: neither Settle nor After found one, and there is no
// other place to look. A call that opens a chain always returns a value; a hidden result may have one.
func GiveUp(state *State, note Note, result Result) {
	if !result.Error && (note.Opens || result.Hidden) {
		state.lose(note)
	}
}
