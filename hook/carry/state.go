package carry

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// State is what is known of one harness session. The zero State is that of a session never seen.
type State struct {
	// Chains are ordered by use: the one whose value was captured last is last.
	Chains []Chain `json:"chains,omitempty"`
	Notes  []Note  `json:"notes,omitempty"`
}

// Chain is a value that changes from call to call: each result hands out the next one.
type Chain struct {
	Server string   `json:"server"`
	Agent  string   `json:"agent,omitempty"` // who opened it
	Child  bool     `json:"child,omitempty"` // opened for somebody else to go on with
	Value  string   `json:"value"`           // the newest; "" if it was handed out unseen
	Seen   []string `json:"seen"`            // digests of its values, the newest last
}

// Note is a call whose result the hook could not see when it ran.
type Note struct {
	Server string `json:"server"`
	Agent  string `json:"agent,omitempty"`
	ID     string `json:"id"`
	Opens  bool   `json:"opens,omitempty"`
	Child  bool   `json:"child,omitempty"`
	Keeps  bool   `json:"keeps,omitempty"` // a call of a tool in Rule.Keeps
	Asked  string `json:"asked,omitempty"` // digest of the value that the call carried

	// Answered is true if the call has returned, so that its result must appear in the transcript;
	// false if it may never have been made.
	Answered bool `json:"answered,omitempty"`

	Tries int      `json:"tries,omitempty"` // how often it was looked for in vain
	Files []string `json:"files"`           // transcripts in which the result can appear
	From  []int64  `json:"from"`            // their sizes when the note was taken
}

// Bounds of a session's file. They are far above what any session was seen to need.
const (
	maxChains = 64
	maxSeen   = 64
	maxNotes  = 16
	maxTries  = 3
)

func digest(value string) string {
	if value == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(value))
	return hex.EncodeToString(sum[:8])
}

// chainOf returns the index of the chain an agent goes on with: its newest that is no child's, else
// its newest; a sub-agent that has none goes on with the main agent's. -1 if there is none.
func (s *State) chainOf(server, agent string) int {
	child := -1
	for i := len(s.Chains) - 1; i >= 0; i-- {
		if c := &s.Chains[i]; c.Server == server && c.Agent == agent {
			if !c.Child {
				return i
			}
			if child < 0 {
				child = i
			}
		}
	}
	if child < 0 && agent != "" {
		return s.chainOf(server, "")
	}
	return child
}

// chainWith returns the index of the server's chain that once had this value, -1 if none had.
func (s *State) chainWith(server, digest string) int {
	for i := len(s.Chains) - 1; i >= 0; i-- {
		if c := &s.Chains[i]; c.Server == server && slices.Contains(c.Seen, digest) {
			return i
		}
	}
	return -1
}

func (s *State) open(c Chain) {
	s.Chains = append(s.Chains, c)
	if n := len(s.Chains) - maxChains; n > 0 {
		s.Chains = slices.Delete(s.Chains, 0, n)
	}
}

// advance makes value the newest of chain i.
func (s *State) advance(i int, value string) {
	c := s.Chains[i]
	c.Value, c.Seen = value, append(c.Seen, digest(value))
	if n := len(c.Seen) - maxSeen; n > 0 {
		c.Seen = slices.Delete(c.Seen, 0, n)
	}
	s.Chains = append(slices.Delete(s.Chains, i, i+1), c)
}

// AddNote remembers a call until its result is seen. Of one id the newest note counts.
func (s *State) AddNote(n Note) {
	s.Forget(n.ID, n.Agent)
	s.Notes = append(s.Notes, n)
	if n := len(s.Notes) - maxNotes; n > 0 {
		s.Notes = slices.Delete(s.Notes, 0, n)
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
		if n.Tries++; n.Tries >= maxTries {
			if n.Answered {
				s.lose(*n)
			}
			s.Forget(id, agent)
		}
		return
	}
}

// lose notes that a call handed out a value that nobody saw. The chain stays, without a value: to
// go on with the one before would rewind the server's session, or drive another agent's.
func (s *State) lose(n Note) {
	i := target(s, n)
	switch {
	case n.Keeps:
	case i < 0 && n.Opens:
		s.open(Chain{Server: n.Server, Agent: n.Agent, Child: n.Child})
	case i >= 0 && (n.Asked == "" || n.Asked == digest(s.Chains[i].Value)):
		s.Chains[i].Value = ""
	}
}

// Awaited returns the notes whose results decide what an agent's next call must carry.
func (s *State) Awaited(server, agent string) []Note {
	if len(s.Notes) == 0 {
		return nil
	}
	i := s.chainOf(server, agent)
	own := i >= 0 && s.Chains[i].Agent == agent
	var awaited []Note
	for _, n := range s.Notes {
		switch {
		case n.Server != server:
		case n.Agent == agent,
			n.Agent == "" && !own,
			i >= 0 && n.Asked != "" && slices.Contains(s.Chains[i].Seen, n.Asked):
			awaited = append(awaited, n)
		}
	}
	return awaited
}
