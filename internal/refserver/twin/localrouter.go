package twin

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

// LocalRouter is the claude-code-mcp whose sessions have a temporary id for their first ten seconds:
// after that only the lasting one is known. It may be called by several goroutines at once.
type LocalRouter struct {
	mu       sync.Mutex
	now      func() time.Time
	sessions []*routed
}

type routed struct {
	id, temporary, question string
	began                   time.Time
	interrupted             bool
}

const temporaryFor = 10 * time.Second

// NewLocalRouter returns a server without sessions.
func NewLocalRouter(now func() time.Time) *LocalRouter { return &LocalRouter{now: now} }

// Call answers claude_say, claude_status, claude_respond and claude_interrupt with a raw
// CallToolResult: compact JSON as text. An error means no such tool, or arguments it cannot read.
func (l *LocalRouter) Call(tool string, args []byte) ([]byte, error) {
	var in struct {
		Session  string `json:"sessionId"`
		Question string `json:"id"`
	}
	if err := json.Unmarshal(args, &in); err != nil {
		return nil, fmt.Errorf("arguments of %s: %w", tool, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if tool == "claude_say" && in.Session == "" {
		s := &routed{id: newID(), question: newID(), began: l.now()}
		s.temporary = fmt.Sprintf("temp_%d", s.began.UnixMilli())
		l.sessions = append(l.sessions, s)
		return compact(map[string]any{"sessionId": s.name(l.now())}, false)
	}
	s := l.find(in.Session)
	switch {
	case tool == "claude_status" && in.Session == "":
		return l.list()
	case s == nil:
		return compact(map[string]any{"error": "Session not found"}, true)
	case tool == "claude_interrupt":
		s.interrupted = true
	case tool == "claude_respond" && in.Question != s.question:
		return compact(map[string]any{"error": "no such question"}, true)
	case tool != "claude_say" && tool != "claude_status" && tool != "claude_respond":
		return nil, fmt.Errorf("no tool %q", tool)
	}
	return compact(map[string]any{"sessionId": s.name(l.now()), "interrupted": s.interrupted, "pendingQuestion": map[string]any{"id": s.question}}, false)
}

func (l *LocalRouter) find(id string) *routed {
	for _, s := range l.sessions {
		if id != "" && id == s.name(l.now()) {
			return s
		}
	}
	return nil
}

func (l *LocalRouter) list() ([]byte, error) {
	all := []any{}
	for _, s := range l.sessions {
		all = append(all, map[string]any{"sessionId": s.name(l.now())})
	}
	return compact(map[string]any{"sessions": all}, false)
}

// name is the id by which the session is known.
func (s *routed) name(now time.Time) string {
	if now.Sub(s.began) < temporaryFor {
		return s.temporary
	}
	return s.id
}

// compact is a result whose text is JSON without white space.
func compact(v any, failed bool) ([]byte, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return reply{line: string(raw), failed: failed}.encode()
}
