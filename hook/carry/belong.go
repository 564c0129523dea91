package carry

import "slices"

// canBeOf reports whether a value that a result shows can be of the session that the call was about. A
// document that a tool returns may show one of another session, which must not replace the session's own.
func (s *State) canBeOf(rule *Rule, n Note, h handed) bool {
	if n.Opens || rule.Single || rule.keyed() || rule.Capture.Each {
		return true
	}
	c := s.target(n)
	switch {
	case c != nil && c.Key != "" && h.key != "":
		return c.Key == h.key
	case c != nil || n.Asked != "" && s.chainWith(n.Server, n.Asked) != nil:
		return true
	case rule.Presumed || h.from != Meta && len(rule.Flow.Opens) > 0: // a session begins elsewhere, or was typed
		return n.Asked != "" && (n.Whole || !rule.decodes())
	}
	return true
}

// lost reports whether a result says that the server began a new session instead of going on with the one
// whose value the call carried.
func (r *Rule) lost(result Result) bool {
	if len(r.Flow.Lost) == 0 || result.Error {
		return false
	}
	v := look(result)
	return slices.ContainsFunc(r.Flow.Lost, func(s Source) bool { return v.says(s) })
}

// SessionLost is why a value is kept that the agent may not go on with.
const SessionLost = "the server did not accept the session's value and began a new session: the old one is lost unless its value is passed"

// replaced settles the result of a call that was to go on with a session, and opened another one instead.
// The new session is known, but whether its agent goes on with it only the model knows, unless it is all
// that the agent has.
func (s *State) replaced(rule *Rule, n Note, all []handed) Decision {
	if len(all) == 0 {
		return Decision{Action: Left, Why: SessionLost, Unseen: true, Note: n}
	}
	child := n
	child.Child = true
	d := s.settle(rule, &child, all[0])
	if d.Action == Captured {
		d.Why = SessionLost
	}
	d.Shown, d.Note = true, n
	return d
}
