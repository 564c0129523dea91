package twin

import (
	"encoding/json"
	"fmt"
	"strings"

	"wsi/internal/refserver"
)

// Plexus has a permission prompt tool. It allows what it is asked about without waiting for
// loopback.respond, whose approval_id is good once all the same.
type Plexus struct{ sessions }

// NewPlexus returns a server that was not asked anything yet.
func NewPlexus() *Plexus { return &Plexus{} }

// Tools are named with dots, which harnesses replace.
func (*Plexus) Tools() []refserver.Tool {
	return []refserver.Tool{
		tool("loopback.permit", "Ask for permission.", text("tool_name"), `"input":{"type":"object"}`, text("tool_use_id")),
		hinted(tool("loopback.pending", "List what waits for an answer."), "readOnlyHint"),
		hinted(tool("loopback.respond", "Allow or deny.", "!"+text("approval_id"), text("decision")), "destructiveHint"),
	}
}

// Call answers; loopback.permit in JSON that the harness parses.
func (p *Plexus) Call(agent, tool string, args []byte) ([]byte, error) {
	in, err := read(tool, args)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	argument, r := "", reply{}
	switch strings.ReplaceAll(tool, ".", "_") {
	case "loopback_permit":
		p.pend(agent, "")
		p.mem.noteID(agent, tool, "", "", "", false)
		return Permit(tool, args)
	case "loopback_pending":
		r.text = map[string]any{"approvals": p.pending(agent, "", "approval_id")}
	case "loopback_respond":
		argument = "approval_id"
		if r.text = map[string]any{"approval_id": in.Approval, "decided": true}; !p.decide(in.Approval, "") {
			r = refuse("Approval not found")
		}
	default:
		return nil, fmt.Errorf("no tool %q", tool)
	}
	p.mem.noteID(agent, tool, argument, in.Approval, "", r.failed)
	if argument != "" && !r.failed {
		p.use(in.Approval)
	}
	return r.encode()
}

// Permit is the permission prompt tool alone. tool may be named as listed, loopback.permit, or as a
// harness names it.
func Permit(tool string, args []byte) ([]byte, error) {
	if !strings.HasSuffix(strings.ReplaceAll(tool, ".", "_"), "loopback_permit") {
		return nil, fmt.Errorf("no tool %q", tool)
	}
	in, err := read(tool, args)
	if err != nil {
		return nil, err
	}
	return reply{text: map[string]any{"behavior": "allow", "updatedInput": in.Input}}.encode()
}

// Permitted reads, as the harness does, what has come back of Permit's text: pure JSON and nothing
// besides, else an error.
func Permitted(text string) (bool, error) {
	var v struct {
		Behavior string `json:"behavior"`
	}
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return false, fmt.Errorf("permission answer is not pure JSON: %w", err)
	}
	return v.Behavior == "allow", nil
}
