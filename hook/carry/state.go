package carry

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// State is everything stored about one harness session. The zero State is that of an unknown session.
type State struct {
	Chains []Chain `json:"chains,omitempty"` // the most recently changed one is last
	Uses   []Use   `json:"uses,omitempty"`
	Notes  []Note  `json:"notes,omitempty"`
	Said   []Said  `json:"said,omitempty"`
	// Pending are calls whose results' _meta is still to be shown or collected.
	Pending []Pending `json:"pending,omitempty"`
	// Overdue: the result of the last wait did not come.
	Overdue bool `json:"overdue,omitempty"`
	// Foreign lists tools that were called on another server, for a harness that names tools without
	// their server.
	Foreign []string `json:"foreign,omitempty"`
	Next    int      `json:"next,omitempty"`  // the id of the next chain
	Clock   int      `json:"clock,omitempty"` // counts calls
}

// Note is a call with a result that the hook could not see when it ran.
type Note struct {
	Server  string `json:"server"`
	Agent   string `json:"agent,omitempty"`
	ID      string `json:"id"`
	At      int    `json:"at,omitempty"` // by State.Clock; 0 if not counted yet
	Opens   bool   `json:"opens,omitempty"`
	Child   bool   `json:"child,omitempty"`   // an opening call with the argument Flow.Parent
	Parent  bool   `json:"parent,omitempty"`  // that argument is not empty
	Keeps   bool   `json:"keeps,omitempty"`   // a call of a tool in Flow.Keeps
	Changes bool   `json:"changes,omitempty"` // a call of a tool in Flow.Changes
	Carried string `json:"asked,omitempty"`   // digest of the value that the call carried
	Handle  bool   `json:"handle,omitempty"`  // the value was in one of Inject.Unless, perhaps for another agent
	Whole   bool   `json:"whole,omitempty"`   // the value is well-formed, not visibly damaged
	Key     string `json:"key,omitempty"`     // names the chain of a well-formed value, or of a child's parent, if the value itself says which
	Back    bool   `json:"back,omitempty"`    // the value was an older one already when the call began

	Side int `json:"aside,omitempty"` // the side chain that its late answer belongs to; 0 for none

	// Answered is true if the call has returned, so that its result must appear in the transcript;
	// false if it may never have been made.
	Answered bool `json:"answered,omitempty"`
	Failed   bool `json:"failed,omitempty"` // it has returned an error

	Tries int      `json:"tries,omitempty"` // failed searches for the result
	Files []string `json:"files"`           // transcripts in which the result can appear
	From  []int64  `json:"from"`            // where in them it can begin
}

// Bounds of a session's file, far above what any session was seen to need.
const (
	maxChains    = 256
	maxUses      = 512
	maxDigests   = 64
	maxValues    = 8 // of a chain, the newest included; damaged values are compared with these
	maxNotes     = 256
	maxBegun     = 16 // notes of calls that went back and are not answered
	maxUnclaimed = 32 // side chains that no agent has continued
	maxForeign   = 64

	// maxTries is how often a result is looked for. Looking for a call that may never have been made
	// is cheap; the result of a call that was made is waited for.
	maxTries, maxTriesUnanswered = 3, 32
)

// Stored returns the state of a session of which only the main agent's value is known.
func Stored(server, value string) State {
	return State{
		Chains: []Chain{{Server: server, Value: value, Seen: []string{digest(value)}}},
		Uses:   []Use{{Server: server}}, Next: 1,
	}
}

func digest(value string) string {
	if value == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(value))
	return hex.EncodeToString(sum[:8])
}

// remember appends to digests and drops the oldest ones beyond the limit.
func remember(digests []string, d string) []string { return newest(append(digests, d), maxDigests) }

// newest returns the end of a list, without the oldest elements beyond a limit.
func newest[T any](list []T, most int) []T { return list[max(0, len(list)-most):] }

// first returns the first element of which something is true, nil if there is none.
func first[T any](list []T, is func(*T) bool) *T {
	for i := range list {
		if is(&list[i]) {
			return &list[i]
		}
	}
	return nil
}

// count numbers a note's call among all calls.
func (s *State) count(n *Note) {
	if n.At == 0 {
		s.Clock++
		n.At = s.Clock
	}
}

// add appends a new chain. If there are too many, it drops the one that has not changed for longest, side
// chains that no agent has continued first.
func (s *State) add(c Chain) {
	s.Next++
	s.Chains = append(s.Chains, c)
	unclaimed, oldest := 0, -1
	for i := range s.Chains {
		if o := &s.Chains[i]; o.isUnclaimed() {
			if unclaimed++; oldest < 0 {
				oldest = i
			}
		}
	}
	if unclaimed > maxUnclaimed {
		s.Chains = slices.Delete(s.Chains, oldest, oldest+1)
	}
	s.Chains = newest(s.Chains, maxChains)
}

func (s *State) advance(rule *Rule, c *Chain, n Note, value, key string) {
	d, moved := digest(value), *c
	equivalents := slices.DeleteFunc(moved.equivalentsAfter(n), func(e string) bool { return e == d })
	for _, e := range moved.Equivalents { // what is not equivalent any more counts as older
		switch {
		case slices.Contains(equivalents, e), e == d:
		case e == n.Carried:
			moved.Seen = remember(moved.Seen, e)
		case !slices.Contains(moved.Branches, e): // no call has continued it
			moved.Branches = remember(moved.Branches, e)
		}
	}
	moved.Equivalents = equivalents
	moved.Since = moved.sinceAfter(rule, n)
	moved.retire()
	moved.Value, moved.By = value, n.Agent
	if key != "" {
		moved.Key = key
	}
	moved.Seen = remember(moved.Seen, d)
	s.Chains = append(slices.DeleteFunc(s.Chains, func(o Chain) bool { return o.ID == moved.ID }), moved)
}

// lose records that a call returned a value that was not seen. The chain then has no value, because its previous
// one would rewind the server's session.
func (s *State) lose(n Note) {
	if n.Keeps && !n.Opens {
		return
	}
	c := s.target(n)
	switch {
	case c == nil && n.Opens:
		s.open(n, "", "")
	case c == nil:
	case n.Carried == "", c.isHead(n.Carried), n.Changes && c.isUnchangedSince(n.Carried):
		c.retire()
		c.Equivalents = nil
		s.works(n, c.ID)
	}
}

// Pending is a call with a rule that shows or collects members of its result's _meta, which no hook has seen yet.
type Pending struct {
	Session string   `json:"session"` // the harness's id of it
	Agent   string   `json:"agent,omitempty"`
	ID      string   `json:"id"`
	Name    string   `json:"name"`           // of the tool, as the harness writes it
	Args    string   `json:"args,omitempty"` // as the event has them, "" if they are long
	Kept    bool     `json:"kept,omitempty"` // the values that rules collect are kept
	Tries   int      `json:"tries,omitempty"`
	Files   []string `json:"files"` // as in Note
	From    []int64  `json:"from"`
}

const (
	maxPending     = 64
	maxPendingArgs = 512 // bytes
	// maxPendingTries is how many hooks look for a result. Looking is cheap: each reads only what is new.
	maxPendingTries = 16
)

// Defer remembers a call until a hook has seen its result's _meta, and reports whether it does: it gives up after some tries.
func (s *State) Defer(p Pending) bool {
	s.Undefer(p)
	if p.Tries++; p.Tries > maxPendingTries {
		return false
	}
	if len(p.Args) > maxPendingArgs {
		p.Args = ""
	}
	s.Pending = newest(append(s.Pending, p), maxPending)
	return true
}

// Undefer forgets a call, and reports whether it was remembered.
func (s *State) Undefer(p Pending) bool {
	n := len(s.Pending)
	s.Pending = slices.DeleteFunc(s.Pending, p.SameCall)
	return len(s.Pending) < n
}

// Keep records that the values of a call's result are kept, and reports whether the call was remembered.
func (s *State) Keep(p Pending) bool {
	i := slices.IndexFunc(s.Pending, p.SameCall)
	if i >= 0 {
		s.Pending[i].Kept = true
	}
	return i >= 0
}

// SameCall reports whether both are the same call.
func (p Pending) SameCall(o Pending) bool { return o.Agent == p.Agent && o.ID == p.ID }
