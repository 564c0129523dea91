package carry

import "slices"

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
	case rule.Presumed || h.from != Meta && len(rule.Flow.Opens) > 0: // the session began elsewhere, or its value was typed
		return n.Carried != "" && (n.Whole || !rule.decodes())
	}
	return true
}

// reportsLost reports whether a result says that the server started a new session instead of continuing the one in
// the call.
func (r *Rule) reportsLost(result Result) bool {
	if len(r.Flow.Lost) == 0 || result.Error {
		return false
	}
	v := newView(result)
	return slices.ContainsFunc(r.Flow.Lost, func(s Source) bool { return v.says(s) })
}

// SessionLost is the reason when a value is stored but its agent may not continue with it.
const SessionLost = "the server did not accept the session's value and began a new session: the old one is lost unless its value is passed"

// storeReopened settles a call that should have continued a session but opened a new one. The new session is
// stored. If its agent has another session, only the model knows which one it continues.
func (s *State) storeReopened(rule *Rule, n Note, all []foundValue) Decision {
	if len(all) == 0 {
		return Decision{Action: Left, Why: SessionLost, Unseen: true, Note: n}
	}
	child := n
	child.Child = true
	d := s.store(rule, &child, all[0])
	if d.Action == Captured {
		d.Why = SessionLost
	}
	d.Shown, d.Note = true, n
	return d
}
