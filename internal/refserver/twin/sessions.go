package twin

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
		IDs     []string          // of the sessions that there are, in order
		Pending map[string]string // of what waits for a decision, to its session
		Keyed   map[string]settle // temporary ids
		Stopped map[string]string // sessions, to the tool that ended or interrupted them
	}
}

type settle struct {
	ID  string
	Due int64 // in Unix seconds
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

func (s *sessions) begin(agent, id string) {
	s.mem.IDs = append(s.mem.IDs, id)
	s.mem.show(agent, id)
}

// list shows an agent all sessions.
func (s *sessions) list(agent string) reply {
	list := []any{}
	for _, id := range s.mem.IDs {
		s.mem.show(agent, id)
		list = append(list, map[string]any{"sessionId": id, "status": "idle"})
	}
	return reply{text: map[string]any{"sessions": list}}
}

// pend begins something that waits for a decision about a session.
func (s *sessions) pend(agent, session string) {
	id := newID()
	if s.mem.Pending == nil {
		s.mem.Pending = map[string]string{}
	}
	s.mem.Pending[id] = session
	s.mem.ask(agent, id, session)
}

// pending shows an agent what waits in a session, under a name.
func (s *sessions) pending(agent, session, name string) []any {
	list := []any{}
	for id, of := range s.mem.Pending {
		if of == session {
			s.mem.ask(agent, id, session)
			list = append(list, map[string]any{name: id})
		}
	}
	return list
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
	Request  string          `json:"requestId"`
	Approval string          `json:"approval_id"`
	Answers  string          `json:"inputId"`
	ID       string          `json:"id"`
	Fork     bool            `json:"forkSession"`
	Input    json.RawMessage `json:"input"`
	Disk     *struct {
		Token string `json:"resumeToken"`
	} `json:"diskResumeConfig"`
}

func read(tool string, args []byte) (in sessionArguments, err error) {
	if err := json.Unmarshal(args, &in); err != nil {
		return in, fmt.Errorf("arguments of %s: %w", tool, err)
	}
	return in, nil
}

// drop ends a session: its id has had its time.
func (s *sessions) drop(id string) {
	s.mem.IDs = slices.DeleteFunc(s.mem.IDs, func(other string) bool { return other == id })
	s.use(id)
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
