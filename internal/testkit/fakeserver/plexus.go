package fakeserver

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"wsi/internal/refserver"
)

// Plexus has a permission prompt tool, loopback.permit. It returns when loopback.respond has decided, and denies
// after five minutes. The real server uses HTTP, and another client decides. Here another goroutine decides, or
// another process on the same folder.
type Plexus struct {
	sessions
	now func() time.Time
}

// NewPlexus returns a server without pending prompts.
func NewPlexus(now func() time.Time) *Plexus { return &Plexus{now: now} }

const (
	permitTimeout = 300 // seconds that a permission prompt waits
	pollInterval  = 20 * time.Millisecond
)

// approval is a permission prompt and its decision.
type approval struct {
	Session, Tool, Use string
	Input              json.RawMessage
	Asked              int64 // in Unix seconds
	Decided, Approved  bool
	Message            string
}

// Tools returns tools with dots in their names, which harnesses replace.
func (*Plexus) Tools() []refserver.Tool {
	return []refserver.Tool{
		tool("loopback.permit", "Ask for permission.", "!"+text("tool_name"), "!"+text("tool_use_id"), `!"input":{}`),
		tool("loopback.pending", "List what waits for an answer.", text("session_id")),
		tool("loopback.wait_for_approval", "Wait until something waits for an answer.", "!"+text("session_id"), `"timeout_secs":{"type":"integer"}`),
		tool("loopback.respond", "Allow or deny.", "!"+text("approval_id"), `!"approve":{"type":"boolean"}`, text("message")),
		tool("loopback.configure", "Tell how a harness registers this server.", "!"+text("session_id")),
	}
}

// Call implements [Server]. loopback.permit blocks until the decision and returns JSON that the harness parses.
func (p *Plexus) Call(agent, tool string, args []byte) ([]byte, error) {
	p.mu.Lock()
	result, waits, err := p.ask(agent, tool, args)
	p.mu.Unlock()
	for err == nil && waits != "" {
		time.Sleep(pollInterval)
		p.mu.Lock()
		result, waits, err = p.outcome(waits)
		p.mu.Unlock()
	}
	return result, err
}

// ask is Call without waiting. If the call has to wait for a decision, ask returns the id of the decision.
func (p *Plexus) ask(agent, tool string, args []byte) (result []byte, waits string, err error) {
	in, err := decode[sessionArguments](tool, args)
	if err != nil {
		return nil, "", err
	}
	argument, r := "", reply{compact: true}
	switch strings.ReplaceAll(tool, ".", "_") {
	case "loopback_permit":
		if in.Tool == "" || in.Use == "" || in.Input == nil {
			r = refuse("Invalid params: tool_name, tool_use_id and input are needed")
			break
		}
		waits = p.asked(agent, in)
	case "loopback_pending", "loopback_wait_for_approval": // the latter does not wait here
		r.text = map[string]any{"type": "ok", "approvals": p.open(agent, in.Of)}
	case "loopback_respond":
		argument = "approval_id"
		r.text = p.respond(in)
	case "loopback_configure":
		r.text = map[string]any{"type": "ok", "mcp_config": map[string]any{"mcpServers": map[string]any{}}}
	default:
		return nil, "", fmt.Errorf("no tool %q", tool)
	}
	p.mem.noteID(agent, tool, argument, in.Approval, "", r.failed)
	if argument != "" {
		p.use(in.Approval)
	}
	if waits == "" {
		result, err = r.encode()
	}
	return result, waits, err
}

func (p *Plexus) asked(agent string, in sessionArguments) (id string) {
	id = newID()
	if p.mem.Approvals == nil {
		p.mem.Approvals = map[string]*approval{}
	}
	p.mem.Approvals[id] = &approval{Session: in.Of, Tool: in.Tool, Use: in.Use, Input: in.Input, Asked: p.now().Unix()}
	p.mem.ask(agent, id, "")
	return id
}

// open shows an agent the pending prompts of a session, or of all sessions for "".
func (p *Plexus) open(agent, session string) []any {
	list := []any{}
	for id, a := range p.mem.Approvals {
		if !a.Decided && (session == "" || session == a.Session) {
			p.mem.ask(agent, id, "")
			list = append(list, map[string]any{"id": id, "session_id": a.Session, "tool_name": a.Tool, "tool_use_id": a.Use, "input": a.Input, "status": "pending"})
		}
	}
	return list
}

// respond decides a prompt. It accepts a second decision, and reports an unknown id in a result without isError.
func (p *Plexus) respond(in sessionArguments) any {
	a := p.mem.Approvals[in.Approval]
	if a == nil || in.Approve == nil {
		return map[string]any{"type": "error", "message": "Approval not found: " + in.Approval}
	}
	a.Decided, a.Approved, a.Message = true, *in.Approve, in.Message
	return map[string]any{"type": "ok", "approval_id": in.Approval}
}

// outcome returns the result of a decision, or its id again if the decision is missing.
func (p *Plexus) outcome(id string) (result []byte, waits string, err error) {
	a := p.mem.Approvals[id]
	if !a.Decided && p.now().Unix()-a.Asked > permitTimeout {
		a.Decided, a.Message = true, "Approval request timed out"
	}
	if !a.Decided {
		return nil, id, nil
	}
	text := map[string]any{"behavior": "allow", "updatedInput": a.Input}
	if !a.Approved {
		if a.Message == "" {
			a.Message = "Denied by parent"
		}
		text = map[string]any{"behavior": "deny", "message": a.Message}
	}
	result, err = reply{text: text, compact: true}.encode()
	return result, "", err
}

// Permitted reports, as the harness does, whether a text of loopback.permit allows the call. It returns an error if
// the text is not pure JSON.
func Permitted(text string) (bool, error) {
	var v struct {
		Behavior string `json:"behavior"`
	}
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return false, fmt.Errorf("permission answer is not pure JSON: %w", err)
	}
	return v.Behavior == "allow", nil
}
