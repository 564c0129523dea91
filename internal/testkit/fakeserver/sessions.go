package fakeserver

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
)

// sessions is what the servers share whose calls name a session by a constant id.
type sessions struct {
	mu  sync.Mutex
	mem struct {
		ledger
		IDs       []string             // of the sessions that there are, in order
		Earlier   []string             // of the user's sessions before there was a server
		Status    map[string]string    // of sessions
		Pending   map[string]string    // of what waits for a decision, to its session
		Stopped   map[string]string    // sessions, to the tool that ended or interrupted them
		Approvals map[string]*approval // what a permission prompt has asked
	}
}

// Ledger returns a line for every call so far.
func (s *sessions) Ledger() []Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.mem.entries)
}

func (s *sessions) memory() any               { return &s.mem }
func (s *sessions) remember(raw []byte) error { return restore(&s.mem, raw) }
func (s *sessions) issued() []string          { return s.mem.issued() }

// begin opens a session and shows an agent its id.
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

// list shows an agent sessions, each as it is told of.
func (s *sessions) list(agent string, ids []string, tell func(id string) any) []any {
	list := []any{}
	for _, id := range ids {
		s.mem.show(agent, id)
		list = append(list, tell(id))
	}
	return list
}

// pend begins something that waits for a decision about a session.
func (s *sessions) pend(agent, id, session string) {
	if s.mem.Pending == nil {
		s.mem.Pending = map[string]string{}
	}
	s.mem.Pending[id] = session
	s.mem.ask(agent, id, session)
}

// pending returns what waits in a session, "" if nothing does, and shows it to an agent.
func (s *sessions) pending(agent, session string) string {
	for id, of := range s.mem.Pending {
		if of == session {
			s.mem.ask(agent, id, session)
			return id
		}
	}
	return ""
}

// decide uses up what waits in a session.
func (s *sessions) decide(id, session string) bool {
	of, waits := s.mem.Pending[id]
	if !waits || of != session {
		return false
	}
	delete(s.mem.Pending, id)
	return true
}

// use marks an id as used up, after the call that used it was judged.
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

func read(tool string, args []byte) (in sessionArguments, err error) {
	if err := json.Unmarshal(args, &in); err != nil {
		return in, fmt.Errorf("arguments of %s: %w", tool, err)
	}
	return in, nil
}

// stop notes by which tool a session was ended or interrupted.
func (s *sessions) stop(id, tool string) {
	if s.mem.Stopped == nil {
		s.mem.Stopped = map[string]string{}
	}
	s.mem.Stopped[id] = tool
}

// Ended returns by which tool a session was ended or interrupted, "" for one that was not.
func (s *sessions) Ended(session string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mem.Stopped[session]
}
