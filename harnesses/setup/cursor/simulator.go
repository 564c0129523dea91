package cursor

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"wsi/harnesses/setup"
)

// Simulator simulates Cursor 3.14.7 as documented.
type Simulator struct{ setup.NoTranscript }

// event returns an event, with members in the order of the documentation: those that all events have, then own. Events of
// sub-agents are not documented: here a sub-agent is a conversation of its own.
func event(p setup.ToolCall, name string, own ...any) []byte {
	conversation := cmp.Or(p.Agent, p.Session)
	return setup.JSONLine(slices.Concat(setup.Object{
		"conversation_id", conversation, "generation_id", "0c9a0d8e-93d5-4f6b-8a52-000000000001",
		"model", "mock-model", "model_id", "mock-model", "model_params",
		[]setup.Object{{"id", "thinking", "value", "true"}},
		"session_id", conversation, "hook_event_name", name, "cursor_version", "3.14.7", "workspace_roots",
		[]string{p.Cwd},
		"user_email", "dev@example.com", "transcript_path", p.Transcript,
	}, own))
}

// Before returns a preToolUse event.
func (Simulator) Before(p setup.ToolCall) []byte {
	return event(p, "preToolUse",
		"tool_name", "MCP:"+p.Tool, "tool_input", p.Args, "tool_use_id", p.ID, "cwd", p.Cwd, "agent_message", "Advancing the workflow.")
}

// Earlier returns an afterMCPExecution event: the tool's name is without a prefix, the server is in a field of its own,
// and arguments and result are strings.
func (Simulator) Earlier(p setup.ToolCall, result []byte) []byte {
	return event(p, "afterMCPExecution",
		"tool_name", p.Tool, "tool_input", string(p.Args), "mcp_server_name", p.Server, "result_json", seen(result), "duration", 1234.217)
}

// After returns a postToolUse event, or postToolUseFailure for a result marked as an error.
func (Simulator) After(p setup.ToolCall, result []byte) []byte {
	if r := setup.ParseToolResult(result); r.IsError {
		return event(p, "postToolUseFailure",
			"tool_name", "MCP:"+p.Tool, "tool_input", p.Args, "tool_use_id", p.ID,
			"error_message", r.Text(), "failure_type", "error", "cwd", p.Cwd, "duration", 1250.5, "is_interrupt", false)
	}
	return event(p, "postToolUse",
		"tool_name", "MCP:"+p.Tool, "tool_input", p.Args, "tool_output", seen(result), "tool_use_id", p.ID, "cwd", p.Cwd, "duration", 1250.5)
}

// seen returns the result as Cursor rebuilds it: without _meta, always with isError.
func seen(result []byte) string {
	r := setup.ParseToolResult(result)
	r.Meta = nil
	return setup.JSONText(r)
}

// Apply returns an error if Cursor blocks the call, which it does for output that is not an answer, or ignores the
// answer, which it does for statuses other than 0 and 2. A permission replaces the user's.
func (Simulator) Apply(p setup.ToolCall, stdout []byte, exit int) ([]byte, error) {
	stdout = bytes.TrimSpace(stdout)
	switch {
	case exit == 2:
		return nil, errors.New("a hook that exits with status 2 blocks the call")
	case exit != 0 && len(stdout) > 0:
		return nil, errors.New("the hook failed, so Cursor ignores its answer")
	case len(stdout) == 0:
		return p.Args, nil
	}
	var answer struct {
		Permission string          `json:"permission"`
		Input      json.RawMessage `json:"updated_input"`
		Nested     json.RawMessage `json:"hookSpecificOutput"`
	}
	object, ok := lastObject(stdout)
	if !ok || json.Unmarshal(object, &answer) != nil {
		return nil, errors.New("the answer is not a JSON object, so Cursor blocks the call")
	}
	switch {
	case !slices.Contains([]string{"", "allow", "deny", "ask"}, answer.Permission):
		return nil, errors.New("the permission is unknown to Cursor, so it blocks the call")
	case answer.Permission == "allow":
		return nil, errors.New(`permission "allow" would approve the call without the user`)
	case answer.Permission == "deny":
		return nil, fmt.Errorf("%w: permission %q stops it", setup.ErrDenied, answer.Permission)
	case answer.Permission != "":
		return nil, errors.New("the answer has a permission, which it must not have")
	case answer.Nested != nil:
		return nil, errors.New("hookSpecificOutput is Claude Code's form, which Cursor reads only if a remote switch is on")
	case answer.Input != nil && answer.Input[0] != '{':
		return nil, errors.New("updated_input is not an object, so Cursor blocks the call")
	}
	return p.Changed("updated_input", answer.Input)
}

// lastObject returns the whole output if it is an object, else its longest suffix that is one.
func lastObject(out []byte) ([]byte, bool) {
	for i, c := range out {
		if c == '{' && json.Valid(out[i:]) {
			return out[i:], true
		}
	}
	return nil, false
}

// Shell is sh. On Windows Cursor pipes the event into PowerShell (3.18.25).
func (Simulator) Shell(env setup.Env, command string) []string {
	if env.GOOS == "windows" {
		return []string{"powershell", "-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-Command", "$input | & " + command}
	}
	return []string{"/bin/sh", "-c", command}
}
