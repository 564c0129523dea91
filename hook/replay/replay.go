// Package replay counts what became of the ids in recorded sessions: how the model typed them, what compactions lost,
// and what lists and hints would have said. It is pure, and returns nothing but counts and the names of servers.
//
// It must not know how sessions are recorded, or how counts are shown.
package replay

import (
	"hash/maphash"
	"slices"
	"strings"

	"wsi/harnesses"
)

// Replay counts the sessions of one harness.
type Replay struct {
	Servers     map[string]*Counts
	Sessions    int // with a call of an MCP server's tool, sub-agents included
	Compactions int
	Unreadable  int // compactions of which the record does not show what is left
	Lists       int // compactions that would have been followed by a list

	seed     maphash.Seed
	counted  map[uint64]struct{} // calls and compactions
	sessions map[string]*session // of the recording that is read
	order    []string            // of sessions, the one with the newest step last
	ended    map[string]bool     // sessions that were forgotten
	left     int                 // how many words may still be remembered
}

// Limits of what is kept in memory.
const (
	maxServers  = 256     // further ones are counted together
	maxCounted  = 1 << 20 // calls
	maxSessions = 16      // of one recording: those in use at the same time
	maxEnded    = 1 << 14 // of one recording: forgotten ones, by name
	maxName     = 64      // bytes of a server's name
)

// Others is the name under which the servers beyond the limit are counted.
const Others = "(others)"

// New returns counts that are all zero.
func New() *Replay {
	r := &Replay{Servers: map[string]*Counts{}, seed: maphash.MakeSeed(), counted: map[uint64]struct{}{}}
	r.Begin()
	return r
}

// Begin begins another recording.
func (r *Replay) Begin() {
	r.sessions, r.order, r.ended, r.left = map[string]*session{}, nil, map[string]bool{}, maxWords
}

// Step adds the next step of the recording.
func (r *Replay) Step(step harnesses.Step) {
	r.session(step.Session).step(step)
}

// End ends the recording: calls that never returned are counted as well.
func (r *Replay) End() {
	for _, s := range r.sessions {
		s.end()
	}
	r.Begin()
}

// session returns the session of a name. When there are too many, or they have too many words, those are forgotten
// that had no step for the longest time.
func (r *Replay) session(name string) *session {
	s := r.sessions[name]
	if s != nil && r.order[len(r.order)-1] == name {
		return s
	}
	if s == nil {
		s = newSession(r)
		s.words.forgot = r.ended[name] || len(r.ended) == maxEnded
		r.sessions[name] = s
	} else {
		r.order = slices.DeleteFunc(r.order, func(other string) bool { return other == name })
	}
	r.order = append(r.order, name)
	for len(r.order) > maxSessions || len(r.order) > 1 && r.left < maxWords/2 {
		oldest := r.order[0]
		r.sessions[oldest].end()
		r.left += len(r.sessions[oldest].words.all)
		if len(r.ended) < maxEnded {
			r.ended[oldest] = true
		}
		delete(r.sessions, oldest)
		r.order = r.order[1:]
	}
	return s
}

// isNew reports whether a call or a compaction was not counted before: a session that was forked or resumed
// may have recorded it again.
func (r *Replay) isNew(kind, id string) bool {
	if id == "" {
		return true
	}
	var h maphash.Hash
	h.SetSeed(r.seed)
	_, _ = h.WriteString(kind) // never fails
	_, _ = h.WriteString(id)
	key := h.Sum64()
	if _, counted := r.counted[key]; counted {
		return false
	}
	if len(r.counted) < maxCounted {
		r.counted[key] = struct{}{}
	}
	return true
}

// server returns the counts of a server.
func (r *Replay) server(name string) *Counts {
	name = strings.ToValidUTF8(name[:min(len(name), maxName)], "")
	if r.Servers[name] == nil && len(r.Servers) >= maxServers {
		name = Others
	}
	if r.Servers[name] == nil {
		r.Servers[name] = &Counts{}
	}
	return r.Servers[name]
}
