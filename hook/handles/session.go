package handles

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Session is what is known of a session. Each agent has memories of its own, one for each server. Its zero value
// is empty.
type Session struct {
	Harness string // of the last record
	times   []time.Time
	all     map[place]*Memory
}

// place is whose memory it is.
type place struct{ server, agent string }

// Add adds a call.
func (s *Session) Add(r Record) {
	if s.all == nil {
		s.all = map[place]*Memory{}
	}
	s.times = append(s.times, r.Time)
	s.Harness = r.Harness
	m := s.of(place{r.Server, r.Agent})
	if r.Failed {
		m.FailedCall(s.Calls(), r.Tool, r.Args, r.Result)
	} else {
		m.Call(s.Calls(), r.Tool, r.Args, r.Result)
	}
}

func (s *Session) of(p place) *Memory {
	m := s.all[p]
	if m == nil {
		m = new(Memory)
		s.all[p] = m
	}
	return m
}

// Hint is [Memory.Hint] for the next call of an agent. An id that another agent of the session knows, or that
// another server returned, is not doubted.
func (s *Session) Hint(server, agent string, args []Seen, known func(string) bool) string {
	own := s.all[place{server, agent}]
	if own == nil {
		return ""
	}
	return own.Hint(s.Calls()+1, server, args, func(id string) bool {
		for _, m := range s.all {
			if m.has(id) {
				return true
			}
		}
		return known != nil && known(id)
	})
}

// Calls returns how many calls were added.
func (s *Session) Calls() int { return len(s.times) }

// Time returns when a call was made. call is 1 for the first one, as in [Handle].
func (s *Session) Time(call int) time.Time { return s.times[call-1] }

// Servers returns all memories, sorted by agent and server.
func (s *Session) Servers() (all []Server) {
	for p, m := range s.all {
		all = append(all, Server{Name: p.server, Agent: p.agent, Memory: m})
	}
	slices.SortFunc(all, func(a, b Server) int {
		return cmp.Or(strings.Compare(a.Agent, b.Agent), strings.Compare(a.Name, b.Name))
	})
	return all
}

// List is [List] of an agent.
func (s *Session) List(agent string, aliases ...Alias) string {
	return List(slices.DeleteFunc(s.Servers(), func(m Server) bool { return m.Agent != agent }), aliases...)
}
