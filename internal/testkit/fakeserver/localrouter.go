package fakeserver

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"wsi/internal/refserver"
)

// LocalRouter is claude-code-mcp 0.1.0, which adopts any session that claude_say names. A session that it starts has
// the id "temp_..." until Claude Code sends an event "init". Claude Code 2.1.330 sends "system" instead, so the id
// stays. Every started session asks something once.
type LocalRouter struct {
	sessions
	now func() time.Time
}

// NewLocalRouter returns a server that has started no session. The user has earlier sessions.
func NewLocalRouter(now func() time.Time) *LocalRouter { return &LocalRouter{now: now} }

// Tools returns six tools without annotations.
func (*LocalRouter) Tools() []refserver.Tool {
	id := "!" + text("sessionId")
	return []refserver.Tool{
		tool("claude_start", "Start a session.", "!"+text("prompt"), text("workingDirectory")),
		tool("claude_say", "Say something in a session, which is resumed if it has ended.", id, "!"+text("message")),
		tool("claude_status", "Ask how a session is.", id, `"outputLines":{"type":"number"}`),
		tool("claude_respond", "Decide what a session has asked.", id, "!"+text("id"), `!"answers":{"type":"array","items":{"type":"string"}}`),
		tool("claude_interrupt", "Interrupt a session.", id),
		tool("claude_list", "List all sessions of the user.", text("workingDirectory"), `"limit":{"type":"number"}`),
	}
}

// Call implements [Server]. Results are compact JSON as text, or an error line.
func (l *LocalRouter) Call(agent, tool string, args []byte) ([]byte, error) {
	in, err := decode[sessionArguments](tool, args)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	argument, id, of := "sessionId", in.Session, ""
	var r reply
	switch tool {
	case "claude_start":
		argument, r = "", l.start(agent)
	case "claude_list":
		argument, r = "", l.all(agent)
	case "claude_respond":
		argument, id, of = "id", in.ID, in.Session
		r = l.in(agent, tool, in)
	case "claude_say", "claude_status", "claude_interrupt":
		r = l.in(agent, tool, in)
	default:
		return nil, fmt.Errorf("no tool %q", tool)
	}
	l.mem.noteID(agent, tool, argument, id, of, r.failed)
	if tool == "claude_respond" && !r.failed {
		l.use(id)
	}
	r.compact = true
	return r.encode()
}

// start returns at once. The real server waits ten seconds for another id.
func (l *LocalRouter) start(agent string) reply {
	id := fmt.Sprintf("temp_%d_%s", l.now().UnixMilli(), base36(6))
	l.begin(agent, id, "active")
	l.pend(agent, newID(), id)
	return reply{text: map[string]any{"sessionId": id, "status": "active"}}
}

// all lists the sessions in the user's history, and those of the server without a temporary id.
func (l *LocalRouter) all(agent string) reply {
	if len(l.mem.Earlier) == 0 {
		l.mem.Earlier = []string{newID(), newID(), newID()}
	}
	ids := slices.Clone(l.mem.Earlier)
	for _, id := range l.mem.IDs {
		if !strings.HasPrefix(id, "temp_") && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return reply{text: map[string]any{"sessions": l.list(agent, ids, func(id string) any {
		return map[string]any{"sessionId": id, "projectDirectory": "/", "displayText": "", "timestamp": "", "isActive": l.has(id)}
	})}}
}

// in answers the tools that name a session. claude_say adopts an unknown id, even a damaged one, and returns it.
func (l *LocalRouter) in(agent, tool string, in sessionArguments) reply {
	if in.Session == "" {
		return missing(tool, "sessionId")
	}
	if tool == "claude_say" && !l.has(in.Session) {
		l.mem.IDs = append(l.mem.IDs, in.Session)
		l.set(in.Session, "active")
	}
	asks := l.pending(agent, in.Session)
	text := map[string]any{"sessionId": in.Session}
	switch {
	case !l.has(in.Session):
		return refuse("Error: Unknown session: %s", in.Session)
	case tool == "claude_respond" && asks == "":
		return refuse("Error: no question is pending")
	case tool == "claude_respond" && !l.decide(in.ID, in.Session):
		return refuse("Error: the pending question is %s", asks)
	case tool == "claude_interrupt" && l.mem.Status[in.Session] == "interrupted":
		return refuse("Error: the session has no active process")
	case tool == "claude_interrupt":
		l.stop(in.Session, tool)
		l.set(in.Session, "interrupted")
	case tool == "claude_say":
		l.set(in.Session, "active")
	case tool == "claude_status":
		text["recentOutput"], text["toolUseEvents"] = []any{}, []any{}
		if asks != "" && l.mem.Status[in.Session] == "active" {
			text["pendingQuestion"] = map[string]any{"id": asks, "type": "tool_approval", "questions": []any{map[string]any{"question": "Bash?", "options": []string{"allow", "deny"}}}}
		}
	}
	text["status"] = l.mem.Status[in.Session]
	return reply{text: text}
}
