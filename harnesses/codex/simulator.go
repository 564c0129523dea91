package codex

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"wsi/harnesses"
)

// Simulator simulates codex exec of codex-cli 0.169.0.
type Simulator struct{}

// event is a hook event, with members in the order in which Codex writes them.
type event struct {
	Session    string          `json:"session_id"`
	Turn       string          `json:"turn_id"`
	Agent      string          `json:"agent_id,omitempty"`
	AgentType  string          `json:"agent_type,omitempty"`
	Transcript string          `json:"transcript_path"`
	Cwd        string          `json:"cwd"`
	Event      string          `json:"hook_event_name"`
	Model      string          `json:"model"`
	Mode       string          `json:"permission_mode"`
	Tool       string          `json:"tool_name"`
	Input      json.RawMessage `json:"tool_input"`
	Response   json.RawMessage `json:"tool_response,omitempty"`
	ID         string          `json:"tool_use_id"`
}

const turn = "01a1f98f-f508-7b32-8bb3-000000000001"

func newEvent(p harnesses.ToolCall, name string) event {
	server := safe(p.Server)
	if p.OtherServer != "" && safe(p.OtherServer) == server {
		server += fmt.Sprintf("_%x", sha256.Sum256([]byte(p.Server)))[:1+12] // it is not known what Codex hashes
	}
	e := event{
		Session: p.Session, Turn: turn, Agent: p.Agent, Transcript: p.Transcript, Cwd: p.Cwd, Event: name,
		Model: "mock-model", Mode: "bypassPermissions",
		Tool: "mcp__" + server + "__" + p.Tool, Input: p.Args, ID: p.ID,
	}
	if p.Agent != "" {
		e.AgentType = "default"
	}
	return e
}

func safe(server string) string {
	return strings.TrimRight(harnesses.SafeName(server, harnesses.Word), "_")
}

// Before returns a PreToolUse event.
func (Simulator) Before(p harnesses.ToolCall) []byte {
	return harnesses.JSONLine(newEvent(p, "PreToolUse"))
}

// After returns a PostToolUse event with the whole result, _meta included, or nil for an error.
func (Simulator) After(p harnesses.ToolCall, result []byte) []byte {
	if harnesses.ParseToolResult(result).IsError {
		return nil
	}
	e := newEvent(p, "PostToolUse")
	e.Response = result
	return harnesses.JSONLine(e)
}

// line is a rollout line that completes an MCP call.
type line struct {
	Time    string  `json:"timestamp"`
	Ordinal int     `json:"ordinal"`
	Type    string  `json:"type"`
	Payload payload `json:"payload"`
}

type payload struct {
	Type      string `json:"type"`
	Thread    string `json:"thread_id"`
	Turn      string `json:"turn_id"`
	Item      item   `json:"item"`
	Started   int64  `json:"started_at_ms"`
	Completed int64  `json:"completed_at_ms"`
}

type item struct {
	Type     string          `json:"type"`
	ID       string          `json:"id"`
	Server   string          `json:"server"`
	Tool     string          `json:"tool"`
	Args     json.RawMessage `json:"arguments"`
	Status   string          `json:"status"`
	Result   json.RawMessage `json:"result"`
	Duration struct {
		Secs  int `json:"secs"`
		Nanos int `json:"nanos"`
	} `json:"duration"`
}

// Transcript returns the line that completes the call, written before the next hook runs. It holds the whole result,
// for a call that failed as well.
func (Simulator) Transcript(p harnesses.ToolCall, result []byte) []byte {
	const completed = 1795188329526
	l := line{Time: "2026-11-20T15:25:29.526Z", Ordinal: 16, Type: "event_msg"}
	l.Payload = payload{Type: "item_completed", Thread: p.Session, Turn: turn, Started: completed - 2, Completed: completed}
	if p.Agent != "" {
		l.Payload.Thread = p.Agent
	}
	i := item{Type: "McpToolCall", ID: p.ID, Server: p.Server, Tool: p.Tool, Args: p.Args, Status: "completed", Result: result}
	if harnesses.ParseToolResult(result).IsError {
		i.Status = "failed"
	}
	i.Duration.Nanos = 1952624
	l.Payload.Item = i
	return harnesses.JSONLine(l)
}

var (
	topKeys      = []string{"continue", "systemMessage", "hookSpecificOutput"}
	specificKeys = []string{"hookEventName", "permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext"}
)

// Apply returns an error for an answer that Codex ignores, so that the call keeps the model's arguments: one with an
// unknown key, with changed arguments but not "allow", with "allow" but not changed arguments, or with a
// status other than 0.
func (Simulator) Apply(p harnesses.ToolCall, stdout []byte, exit int) ([]byte, error) {
	stdout = bytes.TrimSpace(stdout)
	switch {
	case exit == 2:
		return nil, errors.New("a hook that exits with status 2 and a message blocks the call")
	case len(stdout) == 0:
		return p.Args, nil
	case exit != 0:
		return nil, fmt.Errorf("the hook exited with status %d, so Codex ignores its answer", exit)
	}
	var answer, specific map[string]json.RawMessage
	if err := json.Unmarshal(stdout, &answer); err != nil {
		return nil, errors.New("the answer is not a JSON object, so Codex ignores it")
	}
	if err := onlyKeys(answer, topKeys); err != nil {
		return nil, err
	}
	if on, ok := answer["continue"]; ok && string(on) != "true" {
		return nil, errors.New("continue is not true")
	}
	raw, ok := answer["hookSpecificOutput"]
	if !ok {
		return p.Args, nil
	}
	if err := json.Unmarshal(raw, &specific); err != nil {
		return nil, errors.New("hookSpecificOutput is not an object, so Codex ignores the answer")
	}
	if err := onlyKeys(specific, specificKeys); err != nil {
		return nil, err
	}
	return rewrite(p, specific)
}

func onlyKeys(m map[string]json.RawMessage, known []string) error {
	for key := range m {
		if !slices.Contains(known, key) {
			return fmt.Errorf("unknown key %q, so Codex ignores the answer", key)
		}
	}
	return nil
}

func rewrite(p harnesses.ToolCall, specific map[string]json.RawMessage) ([]byte, error) {
	decision, input := string(specific["permissionDecision"]), specific["updatedInput"]
	switch {
	case string(specific["hookEventName"]) != `"PreToolUse"`:
		return nil, errors.New("hookEventName is not PreToolUse, so Codex ignores the answer")
	case decision == "" && input == nil:
		return p.Args, nil
	case decision == "":
		return nil, errors.New(`updatedInput without permissionDecision "allow", so Codex ignores the answer`)
	case decision == `"deny"`:
		return nil, fmt.Errorf("%w: permissionDecision %s stops it", harnesses.ErrDenied, decision)
	case decision != `"allow"`:
		return nil, fmt.Errorf("permissionDecision %s, so Codex ignores the answer", decision)
	case input == nil:
		return nil, errors.New(`permissionDecision "allow" without updatedInput, so Codex ignores the answer`)
	case input[0] != '{':
		return nil, errors.New("updatedInput is not an object")
	}
	return input, nil
}

// Shell is /bin/sh in place of the user's shell, which Codex runs with -c, not as a login shell. On Windows, where
// nothing was measured, cmd is assumed.
func (Simulator) Shell(goos, command string) []string {
	if goos == "windows" {
		return []string{"cmd", "/c", command}
	}
	return []string{"/bin/sh", "-c", command}
}

// meta names the caller as 0.169.0 does: in a sub-agent the thread differs from the session.
func meta(p harnesses.ToolCall) []byte {
	thread := p.Session
	if p.Agent != "" {
		thread = p.Agent
	}
	return harnesses.JSONLine(map[string]string{"callId": p.ID, "sessionId": p.Session, "threadId": thread})
}
