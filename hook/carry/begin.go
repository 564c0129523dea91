package carry

import "slices"

// Begin records what a call shows before it is made. If an agent without a Use gets a value, Begin binds it to the
// value's chain. If the call goes back to an older value, Begin adds a note of that. It reports whether it recorded
// anything.
func (s *State) Begin(rule *Rule, call Call, d Decision) bool {
	if d.Action == Injected {
		return s.bindFirst(rule, call, d)
	}
	return d.Action != Denied && s.noteGoingBack(rule, call, d)
}

// bindFirst binds an agent provisionally to the chain of the first value that was injected for it.
func (s *State) bindFirst(rule *Rule, call Call, d Decision) bool {
	if s.use(rule.Server, call.Agent) != nil {
		return false
	}
	c := s.chainWith(rule.Server, digest(d.Change.Value))
	if main := s.use(rule.Server, ""); main != nil { // two chains may have the same value
		if own := s.chainOf(main); own != nil && own.Value == d.Change.Value {
			c = own
		}
	}
	if c == nil {
		return false
	}
	n := Note{Server: rule.Server, Agent: call.Agent}
	s.count(&n)
	s.bind(n, c.ID)
	s.use(n.Server, n.Agent).Provisional = true
	return true
}

// noteGoingBack adds a note if the model sent a call with an older value, and reports whether it did. The result alone cannot distinguish that
// from a call with the newest value that was overtaken by another call.
func (s *State) noteGoingBack(rule *Rule, call Call, d Decision) bool {
	if call.ID == "" || len(s.Chains) == 0 || rule.opens(call.Tool) {
		return false
	}
	if d.Changes() {
		call.Args = d.Change.Args
	}
	n := Note{Server: rule.Server, Agent: call.Agent, ID: call.ID, Back: true}
	var value string
	if value, n.Handle = rule.carriedIn(call.Args); value == "" || n.Handle {
		return false
	}
	n.Carried = digest(value)
	if c := s.carriedChain(n); c == nil || c.isHead(n.Carried) || s.recall(&n) {
		return false
	}
	s.Forget(n)
	s.count(&n) // results that arrive while this call runs count as later
	s.Notes = append(s.Notes, n)
	begun := 0
	for i, o := range slices.Backward(s.Notes) {
		if o.onlyBegun() {
			if begun++; begun > maxBegun {
				s.Notes = slices.Delete(s.Notes, i, i+1)
			}
		}
	}
	return true
}
