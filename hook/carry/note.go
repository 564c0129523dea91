package carry

import (
	"slices"

	"wsi/internal/jsonraw"
)

// Note returns what must be remembered of a call to settle its result later.
func (r *Rule) Note(call Call) Note {
	n := Note{
		Server: r.Server, Agent: call.Agent, ID: call.ID, Opens: r.opens(call.Tool),
		Keeps: r.Flow.Keeps.Has(call.Tool), Changes: r.Flow.Changes.Has(call.Tool),
	}
	value, handle := r.carriedIn(call.Args)
	n.Carried, n.Handle, n.Whole = digest(value), handle, value != "" && r.isWhole(value)
	if raw := Path(r.Flow.Parent).in(call.Args); n.Opens && raw != nil {
		n.Child = string(raw) != "null" || r.requiresParent() // whatever the value, the server opens a second session
		n.Parent = n.Child && (string(raw) != `""` || r.requiresParent())
		if parent, ok := jsonraw.Unquote(raw); ok && n.Parent && value == "" {
			value = parent
		}
	}
	if value != "" && r.isWhole(value) {
		n.Key = newView(Result{}).name(r.Capture.Key, value)
	}
	return n
}

// names reports whether the value in a call says which session its agent works with. A value that the call opens a
// session with does not, unless it is that of the parent and the call failed.
func (n Note) names(failed bool) bool {
	return n.Carried != "" && !n.Handle && (!n.Opens || failed && n.Parent)
}

// isWhole reports whether a value is complete and not visibly damaged, so that it may be of a session that is not
// stored. Where another argument names the session, that does not matter.
func (r *Rule) isWhole(value string) bool {
	if r.decodes() {
		_, ok := Decode(value)
		return ok
	}
	return len(r.Inject) > 0 && !r.Capture.Each && !r.OnlyByKey() && r.fits(value, Text)
}

// carriedIn returns the value in a call's arguments, "" if there is none. handle reports whether it is in one
// of Inject.Unless.
func (r *Rule) carriedIn(args []byte) (value string, handle bool) {
	for i := range r.Inject {
		if s := valueAt(args, r.Inject[i].Argument); s != "" {
			return s, false
		}
	}
	for i := range r.Inject {
		for _, name := range r.Inject[i].Unless {
			if s := valueAt(args, Path(name)); s != "" {
				return s, true
			}
		}
	}
	return "", false
}

// Delivered reports whether a call, as it was made, has a stored value in the argument into which the rule injects one. known is
// false if it injects none there, or if nothing was stored.
func (r *Rule) Delivered(s *State, call Call) (has, known bool) {
	in := r.injectionFor(call.Tool)
	if in == nil || call.Args == nil || !s.hasHad(r.Server) {
		return false, false
	}
	return s.chainWith(r.Server, digest(valueAt(call.Args, in.Argument))) != nil, true
}

// valueAt returns the text at a path in a call's arguments, "" if there is none or a placeholder.
func valueAt(args []byte, path Path) string {
	s, ok := jsonraw.Unquote(path.in(args))
	if !ok || isPlaceholderText(s) {
		return ""
	}
	return s
}

// Likely reports whether a call that does not name its server was probably made to this one. The call carried
// one of the server's values; or it opens a session, or one is open, and the tool is not in foreign, the tools
// of other servers.
func (r *Rule) Likely(s *State, foreign []string, call Call) bool {
	n := r.Note(call)
	return s.chainWith(r.Server, n.Carried) != nil ||
		!slices.Contains(foreign, call.Tool) && (n.Opens || s.use(r.Server, "") != nil || s.use(r.Server, call.Agent) != nil)
}

// AddNote remembers a call until its result is seen. It replaces an earlier note of the same call.
func (s *State) AddNote(n Note) {
	s.recall(&n)
	s.Forget(n)
	s.count(&n)
	s.Notes = append(s.Notes, n)
	if len(s.Notes) > maxNotes {
		if oldest := s.Notes[0]; oldest.Answered && !oldest.Failed {
			s.lose(oldest)
		}
		s.Notes = s.Notes[1:]
	}
}

// Forget drops a note.
func (s *State) Forget(n Note) {
	s.Notes = slices.DeleteFunc(s.Notes, func(o Note) bool { return o.sameCall(n) })
}

// onlyBegun reports whether a note only records that a call, not answered yet, went back to an older value.
func (n Note) onlyBegun() bool { return n.Back && !n.Answered && len(n.Files) == 0 }

// recall copies to a note what was recorded when its call began: that it goes back to an older value. It
// reports whether there is such a record.
func (s *State) recall(n *Note) bool {
	for _, o := range s.Notes {
		if o.Back && o.sameCall(*n) && o.Carried == n.Carried {
			n.Back, n.At = true, o.At
			return true
		}
	}
	return false
}

func (n Note) sameCall(o Note) bool {
	return n.Server == o.Server && n.ID == o.ID && n.Agent == o.Agent
}

// Missed counts a failed search for the result of a noted call. After a few, the note is dropped; if the
// call was made, its value is lost.
func (s *State) Missed(missed Note) {
	n := first(s.Notes, func(n *Note) bool { return n.sameCall(missed) })
	if n == nil {
		return
	}
	n.Tries++
	switch {
	case n.Answered && n.Tries >= maxTries:
		if !n.Failed { // a failed call changes nothing
			s.lose(*n)
		}
		s.Forget(missed)
	case n.Tries >= maxTriesUnanswered:
		s.Forget(missed)
	}
}

// Awaited returns the notes whose results determine the value for an agent's next call.
func (s *State) Awaited(server, agent string) []Note {
	own := s.use(server, agent) != nil
	c := s.target(Note{Server: server, Agent: agent})
	var awaited []Note
	for _, n := range s.Notes {
		switch {
		case n.Server != server, n.onlyBegun():
		case n.Agent == agent,
			n.Agent == "" && !own,
			c != nil && n.Carried != "" && slices.Contains(c.Seen, n.Carried):
			awaited = append(awaited, n)
		}
	}
	return awaited
}

// Elsewhere records that a tool was called on a server without rules, and reports whether that is new.
func (s *State) Elsewhere(tool string) (isNew bool) {
	if slices.Contains(s.Foreign, tool) {
		return false
	}
	s.Foreign = newest(append(s.Foreign, tool), maxForeign)
	return true
}

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
