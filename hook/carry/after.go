package carry

import (
	"encoding/json"
	"maps"
	"slices"
)

// After captures the value of a call's result as the newest of its chain. If the result shows none, the
// decision is Unseen; the caller knows whether the value may still appear elsewhere.
func After(rule *Rule, state *State, call Call, result Result) Decision {
	note := rule.Note(call)
	if note.Whole && result.Error && state.carriedChain(note) == nil {
		value, _ := rule.carriedIn(call.Args)
		note.Whole = !state.resembles(rule, value)
	}
	state.recall(&note)
	state.Forget(note)
	state.count(&note)
	if !rule.capturesFrom(call.Tool) {
		return Decision{Action: Left, Why: rule.unrelated(call.Tool, handsNone)}
	}
	d := Settle(rule, state, note, call.Args, result)
	// The tool returns a value, so that it is worth looking for elsewhere.
	d.Unseen = d.Unseen && len(rule.Inject) > 0 && (note.Opens || note.Carried != "" || rule.injectionFor(call.Tool) != nil)
	return d
}

// resembles reports whether a well-formed value that is not stored is a damaged copy: it, or its signature if it has
// one, is near to a stored value's.
func (s *State) resembles(rule *Rule, value string) bool {
	limit := max(2, len(value)/8) // two characters that have changed places are two edits
	_, signature := split(value)
	return slices.ContainsFunc(s.values(rule.Server), func(c Candidate) bool {
		if !rule.decodes() {
			return apart(value, c.Value, limit) <= limit
		}
		_, own := split(c.Value)
		return apart(signature, own, maxForged) <= maxForged
	})
}

// Settle is After for a call that was noted earlier; args are its arguments, nil if they are not known. The table in
// docs/state.md says how the state of the call's agent and of the chains changes.
func Settle(rule *Rule, state *State, note Note, args []byte, result Result) Decision {
	note.Whole = note.Whole && !rule.reportsNone(result)
	all, why := find(rule, result, func(h foundValue) bool { return state.canBeOf(rule, note, h) })
	if note.Opens && !result.Error && slices.ContainsFunc(rule.Flow.Lost, newView(result).says) { // the server began a new session instead
		return state.storeReopened(rule, note, all)
	}
	d := Decision{Action: Left, Why: why}
	if len(all) == 0 {
		state.settleEmpty(&note, result.Error)
	}
	var sent any
	if len(all) > 0 && (rule.isKeyed() || rule.Capture.Each) { // a value stays the same from call to call, so any argument may repeat it
		_ = json.Unmarshal(args, &sent) // arguments that are not JSON have no text
	}
	for _, h := range all {
		h.repeats = has(sent, h.value)
		one := state.store(rule, &note, h)
		if d.Action != Captured {
			d = one
		}
	}
	d.Shown, d.Unseen, d.Note = len(all) > 0, len(all) == 0, note
	return d
}

// has reports whether decoded JSON has a text, at any depth, also in JSON within a text.
func has(value any, text string) bool {
	switch value := value.(type) {
	case string:
		var inner any
		return value == text || len(value) > len(text) && json.Unmarshal([]byte(value), &inner) == nil && has(inner, text)
	case []any:
		return slices.ContainsFunc(value, func(v any) bool { return has(v, text) })
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(value)), func(v any) bool { return has(v, text) })
	}
	return false
}

// settleEmpty settles a call whose result shows no value. The call still says which chain its agent works
// with. Unless it failed, its result may have had a value.
func (s *State) settleEmpty(n *Note, failed bool) {
	if !n.names(failed) {
		return
	}
	if c := s.carriedChain(*n); c != nil && !c.isUnseen() && !failed && !n.Answered && !c.isHead(n.Carried) && !c.isUnchangedSince(n.Carried) {
		s.storeLate(c, n, foundValue{})
		return
	}
	s.bindCarried(*n, failed)
}

// bindCarried records that an agent's call named the chain of the value in it. If the value is of no chain and the server
// accepted it, that is a chain which no hook has seen. A damaged value changes nothing.
func (s *State) bindCarried(n Note, failed bool) {
	if !n.names(failed) || failed && n.Answered { // it was settled when it failed
		return
	}
	switch c := s.carriedChain(n); {
	case c != nil:
		c.claim()
		s.named(n, c.ID)
		if u := s.use(n.Server, n.Agent); u.At == n.At && !c.isHead(n.Carried) && slices.Contains(c.Branches, n.Carried) { // the model may mean this value or the newest
			u.Unsure = true
		}
	case n.Whole && failed:
		s.markUnknown(n)
	case n.Whole && !n.Answered:
		s.openUnseen(n)
	}
}

var stored = Decision{Action: Left, Why: "already stored"}

func (s *State) store(rule *Rule, n *Note, h foundValue) Decision {
	d, c := digest(h.value), s.target(*n)
	if rule.isKeyed() {
		s.bindCarried(*n, false)
	}
	if known := s.chainWith(rule.Server, d); known != nil && (c == nil || n.Carried == "" || rule.isKeyed() && c.ID == known.ID) {
		switch {
		case n.Opens:
			s.opened(*n, known.ID)
		case n.Carried != "":
			s.works(*n, known.ID)
		}
		return stored
	}
	if confirmed := d == n.Carried && rule.isNamedByValue(); !confirmed && (d == n.Carried || h.repeats) {
		s.bindCarried(*n, false)
		return Decision{Action: Left, Why: "the result repeats the value of the call"}
	}
	if rule.isKeyed() {
		return s.storeKeyed(rule, *n, h)
	}
	n.Child = n.Child || s.isChild(rule, *n, h.value)
	switch {
	case c == nil, n.Carried == "" && c.Key != "" && h.key != "" && c.Key != h.key:
		s.open(*n, h.value, h.key)
		return Decision{Action: Captured, Value: h.value}
	case n.Carried == "" && rule.precedes(h.value, c.Value):
		return c.addBranch(h.value)
	}
	at, done := c.ID, Decision{Action: Captured, Value: h.value}
	switch {
	case n.Carried == "", c.isHead(n.Carried), c.Value == "" && len(c.Equivalents) == 0 && c.SideOf == "":
		s.advance(rule, c, *n, h.value, h.key)
	case c.isHead(d): // two calls in one second can get the same bytes
		c.By, done = n.Agent, stored
	case n.Changes && c.isUnchangedSince(n.Carried): // the answer that changed the session replaces those that did not
		s.advance(rule, c, *n, h.value, h.key)
	case c.isUnchangedSince(n.Carried):
		done = c.addEquivalent(*n, h.value)
	default:
		return s.storeLate(c, n, h)
	}
	s.works(*n, at)
	return done
}

// storeLate settles the answer to an older value of the chain; h is empty if the result does not show it. A call
// that began with an older value goes back; if the value became older while the call ran, another call has
// overtaken it. A call that goes back, or whose agent worked with another chain, starts a side chain that its
// agent continues. If a call was overtaken, its agent stays with the chain, and the side chain is unclaimed until a
// call carries its value. Of an agent's concurrent calls, the one that changed the session counts.
func (s *State) storeLate(c *Chain, n *Note, h foundValue) Decision {
	u := s.use(n.Server, n.Agent)
	switch {
	case n.Answered && n.Side != 0: // it was settled before, without the value
		return s.storeSide(*n, h, u != nil && u.Side == n.Side && u.Back)
	case n.Answered, n.Handle, !n.Back && !n.Changes && c.By == n.Agent:
		s.works(*n, c.ID)
		return c.addBranch(h.value)
	}
	elsewhere := u == nil || u.At <= n.At && (u.Provisional || u.Chain != c.ID)
	goes, from := n.Back || elsewhere, c.ID
	n.Side = s.findOrAddSide(*n, u, c.Child, elsewhere)
	done := s.storeSide(*n, h, goes)
	s.named(*n, from)
	if u := s.use(n.Server, n.Agent); u.Chain == from { // else it is not the agent's own, or a later call has bound the agent elsewhere
		u.Side, u.Back = n.Side, goes && u.At == n.At
	}
	return done
}

// findOrAddSide returns the id of the side chain for a late answer. Two answers to one value share a chain if the
// same agent went back to it twice.
func (s *State) findOrAddSide(n Note, u *Use, child, elsewhere bool) int {
	if !elsewhere {
		if side := s.side(u); side != nil && side.SideOf == n.Carried {
			return side.ID
		}
	}
	side := Chain{ID: s.Next, Server: n.Server, SideOf: n.Carried, By: n.Agent, Child: child}
	if !n.Changes {
		side.Since = []string{n.Carried}
	}
	s.add(side)
	return side.ID
}

// storeSide stores a late answer in its side chain. If goes is true, the call's agent continues that chain.
func (s *State) storeSide(n Note, h foundValue, goes bool) Decision {
	side := s.chain(n.Side)
	if side == nil || h.value == "" {
		return wentOn
	}
	d := digest(h.value)
	switch {
	case side.isHead(d):
		if side.By = n.Agent; goes {
			side.claim()
		}
	case len(side.Seen) == 0 && goes:
		side.Key, side.Seen, side.Value = h.key, []string{d}, h.value
	case len(side.Seen) == 0:
		side.Key, side.Seen, side.Equivalents, side.Older = h.key, []string{d}, []string{d}, []string{h.value}
	case n.Answered && !side.isUnchangedSince(n.Carried) && !(goes && side.isUnclaimed()): // it was changed since
		return side.addBranch(h.value)
	case goes:
		side.promote(n, h.value)
	default:
		return side.addEquivalent(n, h.value)
	}
	if !goes {
		return wentOn
	}
	return Decision{Action: Captured, Value: h.value}
}

func (s *State) storeKeyed(rule *Rule, note Note, h foundValue) Decision {
	if h.key == "" {
		return Decision{Action: Left, Why: "the result does not say what the value belongs to"}
	}
	if c := s.chainByKey(rule.Server, h.key); c == nil {
		s.open(note, h.value, h.key)
	} else {
		at := c.ID
		s.advance(rule, c, note, h.value, h.key)
		s.works(note, at)
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

// isChild reports whether a value that opens a chain names a chain of this session as its parent, although
// the call did not.
func (s *State) isChild(rule *Rule, note Note, value string) bool {
	if rule.Inside.ChildOf == "" || rule.session() == "" || !note.Opens || note.Carried != "" {
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

// GiveUp records that the value of a result is lost: neither Settle nor After found one, and there is no
// other place to look. A call that opens a chain always returns a value; a hidden result may have one.
func GiveUp(state *State, note Note, result Result) {
	if !result.Error && (note.Opens || result.Hidden) {
		state.lose(note)
	}
}

// canBeOf reports whether a value in a result can belong to the session of the call. A returned document
// may quote a value of another session, which must not replace the session's own.
func (s *State) canBeOf(rule *Rule, n Note, h foundValue) bool {
	if n.Opens || rule.Capture.Each {
		return true
	}
	if rule.isKeyed() {
		return n.Carried == "" || !rule.isNamedByValue() || len(rule.Flow.Opens) == 0 || digest(h.value) == n.Carried
	}
	c := s.target(n)
	switch {
	case c != nil && c.Key != "" && h.key != "":
		return c.Key == h.key
	case c != nil || n.Carried != "" && s.chainWith(n.Server, n.Carried) != nil:
		return true
	case h.from != Meta && len(rule.Flow.Opens) > 0: // the session began elsewhere, or its value was typed
		return n.Carried != "" && (n.Whole || !rule.decodes())
	}
	return true
}

// reportsNone reports whether an error says that no session has the value of the call.
func (r *Rule) reportsNone(result Result) bool {
	v := newView(result)
	return result.Error && slices.ContainsFunc(r.Flow.Lost, func(s Source) bool {
		for range v.strings(s) {
			return s.Kind == Text
		}
		return false
	})
}

// SessionLost is the reason when a value is stored but its agent may not continue with it.
const SessionLost = "the server did not accept the session's value and began a new session: the old one is lost unless its value is passed"

// storeReopened settles a call that should have continued a session but opened a new one. The new session is
// stored. If its agent has another session, only the model knows which one it continues.
func (s *State) storeReopened(rule *Rule, n Note, all []foundValue) Decision {
	if len(all) == 0 {
		return Decision{Action: Left, Why: SessionLost, Unseen: true, Note: n}
	}
	child, opened := n, s.Next
	child.Child = true
	d := s.store(rule, &child, all[0])
	if d.Action == Captured {
		d.Why = SessionLost
	}
	if u := s.use(n.Server, n.Agent); u != nil && u.Unsure && u.At == n.At && u.Chain != opened { // the one that a call names is its own
		u.Chain, u.Side, u.Needs = none, 0, 0
	}
	d.Shown, d.Note = true, n
	return d
}
