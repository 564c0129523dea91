package twin

import (
	"encoding/json"
	"fmt"
	"sync"
)

// ClawedAbode is the MCP server of Clawed Abode: sessions by id, some tools to read them and some that
// stop or delete them. It may be called by several goroutines at once.
type ClawedAbode struct {
	mu       sync.Mutex
	sessions []string
	ended    map[string]string // by session, the tool that ended it
}

// NewClawedAbode returns a server without sessions.
func NewClawedAbode() *ClawedAbode { return &ClawedAbode{ended: map[string]string{}} }

// Call answers create_session, list_sessions, get_session, get_messages, send_prompt, manage_session
// and interrupt_session with a raw CallToolResult. An error means no such tool, or arguments it cannot
// read.
func (c *ClawedAbode) Call(tool string, args []byte) ([]byte, error) {
	var in struct {
		Session string `json:"sessionId"`
		After   string `json:"afterMessageId"`
	}
	if err := json.Unmarshal(args, &in); err != nil {
		return nil, fmt.Errorf("arguments of %s: %w", tool, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch tool {
	case "create_session":
		in.Session = newID()
		c.sessions = append(c.sessions, in.Session)
		return compact(map[string]any{"sessionId": in.Session}, false)
	case "list_sessions":
		all := []any{}
		for _, id := range c.sessions {
			all = append(all, map[string]any{"sessionId": id, "ended": c.ended[id]})
		}
		return compact(map[string]any{"sessions": all}, false)
	case "get_session", "get_messages", "send_prompt", "manage_session", "interrupt_session":
	default:
		return nil, fmt.Errorf("no tool %q", tool)
	}
	known := false
	for _, id := range c.sessions {
		known = known || id == in.Session
	}
	if !known {
		return compact(map[string]any{"error": "session not found"}, true)
	}
	if tool == "manage_session" || tool == "interrupt_session" {
		c.ended[in.Session] = tool
	}
	return compact(map[string]any{"sessionId": in.Session, "messages": []any{map[string]any{"id": newID()}}}, false)
}

// Ended returns by which tool a session was ended, "" for one that was not.
func (c *ClawedAbode) Ended(session string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ended[session]
}
