package carry

import (
	"slices"

	"wsi/internal/rawjson"
)

// Note returns what must be remembered of a call to settle its result later.
func (r *Rule) Note(call Call) Note {
	n := Note{
		Server: r.Server, Agent: call.Agent, ID: call.ID, Opens: r.opens(call.Tool),
		Keeps: slices.Contains(r.Keeps, call.Tool), Changes: slices.Contains(r.Changes, call.Tool),
	}
	args, err := rawjson.Object(call.Args)
	if err != nil {
		return n
	}
	for _, name := range append([]string{r.Argument}, r.Unless...) {
		if raw := args.Get(name); raw != nil && !placeholder(raw) {
			n.Asked, n.Handle = digest(args.String(name)), name != r.Argument
			break
		}
	}
	raw := args.Get(r.Parent)
	n.Child = n.Opens && raw != nil && !placeholder(raw)
	return n
}

// Likely tells whether a call was one of this server's, though its name does not say so: it carried one
// of the server's values; or the tool is not known to be another server's and opens a session, or one
// is open.
func (r *Rule) Likely(s *State, call Call) bool {
	n := r.Note(call)
	return s.chainWith(r.Server, n.Asked) != nil ||
		!slices.Contains(s.Foreign, call.Tool) && (n.Opens || s.use(r.Server, "") != nil)
}

// AddNote remembers a call until its result is seen. Of one id the newest note counts.
func (s *State) AddNote(n Note) {
	s.Forget(n.ID, n.Agent)
	s.Notes = append(s.Notes, n)
	if len(s.Notes) > maxNotes {
		if oldest := s.Notes[0]; oldest.Answered {
			s.lose(oldest)
		}
		s.Notes = s.Notes[1:]
	}
}

// Forget drops the note of a call.
func (s *State) Forget(id, agent string) {
	s.Notes = slices.DeleteFunc(s.Notes, func(n Note) bool { return n.ID == id && n.Agent == agent })
}

// Missed counts a vain search for the result of a noted call. After a few the note is dropped, and
// if the call was made the value it handed out is lost.
func (s *State) Missed(id, agent string) {
	for i := range s.Notes {
		n := &s.Notes[i]
		if n.ID != id || n.Agent != agent {
			continue
		}
		n.Tries++
		switch {
		case n.Answered && n.Tries >= maxTries:
			s.lose(*n)
			s.Forget(id, agent)
		case n.Tries >= maxTriesUnanswered:
			s.Forget(id, agent)
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
