package fakeserver

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
)

// base is the common part of all servers: the ledger and the state that a restart keeps.
type base struct {
	mu  sync.Mutex
	mem memory
}

type memory struct {
	ledger
	Indexes   map[string]*indexed  // sessions by session_index
	IDs       []string             // the sessions, in order
	Earlier   []string             // the user's sessions from before the server
	Status    map[string]string    // session to status
	Pending   map[string]string    // pending decision to session
	Stopped   map[string]string    // session to the tool that ended or interrupted it
	Approvals map[string]*approval // permission prompts
}

// Ledger returns an entry for every call so far.
func (b *base) Ledger() []Entry {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.mem.entries)
}

// sessions is the base of the servers in which calls name a session by a constant id.
type sessions struct{ base }

// begin adds a session and shows its id to an agent.
func (s *sessions) begin(agent, id, status string) {
	s.mem.IDs = append(s.mem.IDs, id)
	s.mem.show(agent, id)
	s.set(id, status)
}

func (s *sessions) set(id, status string) {
	if s.mem.Status == nil {
		s.mem.Status = map[string]string{}
	}
	s.mem.Status[id] = status
}

// list shows sessions to an agent, and returns the description of each.
func (s *sessions) list(agent string, ids []string, describe func(id string) any) []any {
	list := []any{}
	for _, id := range ids {
		s.mem.show(agent, id)
		list = append(list, describe(id))
	}
	return list
}

// pend adds a pending decision to a session.
func (s *sessions) pend(agent, id, session string) {
	if s.mem.Pending == nil {
		s.mem.Pending = map[string]string{}
	}
	s.mem.Pending[id] = session
	s.mem.ask(agent, id, session)
}

// pending returns the pending decision of a session, or "", and shows it to an agent.
func (s *sessions) pending(agent, session string) string {
	for id, of := range s.mem.Pending {
		if of == session {
			s.mem.ask(agent, id, session)
			return id
		}
	}
	return ""
}

// decide removes a pending decision. It reports false if the session has no such decision.
func (s *sessions) decide(id, session string) bool {
	of, waits := s.mem.Pending[id]
	if !waits || of != session {
		return false
	}
	delete(s.mem.Pending, id)
	return true
}

// use marks an id as used, after the call was recorded.
func (s *sessions) use(id string) {
	if ch := s.mem.find(id); ch != nil {
		ch.UsedUp = true
	}
}

func (s *sessions) has(id string) bool { return slices.Contains(s.mem.IDs, id) }

type sessionArguments struct {
	Session  string          `json:"sessionId"`
	Action   string          `json:"action"`
	Decision string          `json:"decision"`
	Request  string          `json:"requestId"`
	ID       string          `json:"id"`
	Fork     bool            `json:"forkSession"`
	Approval string          `json:"approval_id"`
	Approve  *bool           `json:"approve"`
	Message  string          `json:"message"`
	Of       string          `json:"session_id"`
	Tool     string          `json:"tool_name"`
	Use      string          `json:"tool_use_id"`
	Input    json.RawMessage `json:"input"`
	Disk     *struct {
		Token string `json:"resumeToken"`
		Dir   string `json:"cwd"`
	} `json:"diskResumeConfig"`
}

// decode decodes the arguments of a call.
func decode[T any](tool string, args []byte) (in T, err error) {
	if err := json.Unmarshal(args, &in); err != nil {
		return in, fmt.Errorf("arguments of %s: %w", tool, err)
	}
	return in, nil
}

// stop records the tool that ended or interrupted a session.
func (s *sessions) stop(id, tool string) {
	if s.mem.Stopped == nil {
		s.mem.Stopped = map[string]string{}
	}
	s.mem.Stopped[id] = tool
}

// Ended returns the tool that ended or interrupted a session, or "".
func (s *sessions) Ended(session string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mem.Stopped[session]
}
