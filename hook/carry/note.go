package carry

import (
	"slices"

	"wsi/internal/rawjson"
)

// Note returns what must be remembered of a call to settle its result later.
func (r *Rule) Note(call Call) Note {
	n := Note{
		Server: r.Server, Agent: call.Agent, ID: call.ID, Opens: r.opens(call.Tool),
		Keeps: r.Flow.Keeps.Has(call.Tool), Changes: r.Flow.Changes.Has(call.Tool),
	}
	carrying, instead := r.arguments()
	for _, path := range carrying {
		if raw := path.in(call.Args); n.Asked == "" && raw != nil && !placeholder(raw) {
			s, _ := rawjson.Unquote(raw)
			_, n.Whole = Look(s)
			n.Asked = digest(s)
		}
	}
	for _, name := range instead {
		if raw := Path(name).in(call.Args); n.Asked == "" && raw != nil && !placeholder(raw) {
			s, _ := rawjson.Unquote(raw)
			n.Asked, n.Handle = digest(s), true
		}
	}
	raw := Path(r.Flow.Parent).in(call.Args)
	n.Child = n.Opens && raw != nil && string(raw) != "null" // whatever it says, the server opens a session besides
	return n
}

// Awaits tells whether the result of a noted call is worth looking for elsewhere if it shows no
// value: the tool hands one out.
func (r *Rule) Awaits(n Note, tool string) bool {
	return len(r.Inject) > 0 && r.hands(tool) && (n.Opens || n.Asked != "" || r.takes(tool) != nil)
}

// Likely tells whether a call was one of this server's, though its name does not say so: it carried one
// of the server's values; or the tool is none of foreign, those known to be another server's, and opens
// a session, or one is open.
func (r *Rule) Likely(s *State, foreign []string, call Call) bool {
	n := r.Note(call)
	return s.chainWith(r.Server, n.Asked) != nil ||
		!slices.Contains(foreign, call.Tool) && (n.Opens || s.use(r.Server, "") != nil || s.use(r.Server, call.Agent) != nil)
}

// AddNote remembers a call until its result is seen. Of one id the newest note counts.
func (s *State) AddNote(n Note) {
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
	s.Notes = slices.DeleteFunc(s.Notes, func(o Note) bool { return o.is(n) })
}

// is tells whether two notes are of one call.
func (n Note) is(o Note) bool { return n.Server == o.Server && n.ID == o.ID && n.Agent == o.Agent }

// Missed counts a vain search for the result of a noted call. After a few the note is dropped, and
// if the call was made the value it handed out is lost.
func (s *State) Missed(missed Note) {
	for i := range s.Notes {
		n := &s.Notes[i]
		if !n.is(missed) {
			continue
		}
		n.Tries++
		switch {
		case n.Answered && n.Tries >= maxTries:
			if !n.Failed { // what the server refuses changes nothing
				s.lose(*n)
			}
			s.Forget(missed)
		case n.Tries >= maxTriesUnanswered:
			s.Forget(missed)
		}
		return
	}
}

// Awaited returns the notes whose results decide what an agent's next call must carry.
func (s *State) Awaited(server, agent string) []Note {
	if len(s.Notes) == 0 {
		return nil
	}
	own := s.use(server, agent) != nil
	c := s.target(Note{Server: server, Agent: agent})
	var awaited []Note
	for _, n := range s.Notes {
		switch {
		case n.Server != server:
		case n.Agent == agent,
			n.Agent == "" && !own,
			c != nil && n.Asked != "" && slices.Contains(c.Seen, n.Asked):
			awaited = append(awaited, n)
		}
	}
	return awaited
}

// Elsewhere notes that a tool was called on a server that no rule is for.
func (s *State) Elsewhere(tool string) (isNew bool) {
	if slices.Contains(s.Foreign, tool) {
		return false
	}
	s.Foreign = append(s.Foreign, tool)
	s.Foreign = s.Foreign[max(0, len(s.Foreign)-maxForeign):]
	return true
}
