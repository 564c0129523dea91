package cursor

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"wsi/harnesses"
)

// Simulator simulates Cursor 3.14.7 as documented.
type Simulator struct{}

// event is a hook event, with members in the order of the documentation.
type event struct {
	Conversation string          `json:"conversation_id"`
	Generation   string          `json:"generation_id"`
	Model        string          `json:"model"`
	ModelID      string          `json:"model_id"`
	Params       []param         `json:"model_params"`
	Session      string          `json:"session_id"`
	Event        string          `json:"hook_event_name"`
	Version      string          `json:"cursor_version"`
	Roots        []string        `json:"workspace_roots"`
	Email        string          `json:"user_email"`
	Transcript   string          `json:"transcript_path"`
	Tool         string          `json:"tool_name"`
	Input        json.RawMessage `json:"tool_input"`
	Server       string          `json:"mcp_server_name,omitempty"`
	Output       string          `json:"tool_output,omitempty"`
	Result       string          `json:"result_json,omitempty"`
	ID           string          `json:"tool_use_id,omitempty"`
	Error        string          `json:"error_message,omitempty"`
	Failure      string          `json:"failure_type,omitempty"`
	Cwd          string          `json:"cwd,omitempty"`
	Duration     float64         `json:"duration,omitempty"`
	Interrupt    *bool           `json:"is_interrupt,omitempty"`
	Message      string          `json:"agent_message,omitempty"`
}

type param struct {
	ID    string `json:"id"`
	Value string `json:"value"`
}

// newEvent returns the members that all events have. Events of sub-agents are not documented: here a sub-agent is a
// conversation of its own.
func newEvent(p harnesses.ToolCall, name string) event {
	conversation := p.Session
	if p.Agent != "" {
		conversation = p.Agent
	}
	return event{
		Conversation: conversation, Generation: "0c9a0d8e-93d5-4f6b-8a52-000000000001",
		Model: "mock-model", ModelID: "mock-model", Params: []param{{"thinking", "true"}},
		Session: conversation, Event: name, Version: "3.14.7", Roots: []string{p.Cwd},
		Email: "dev@example.com", Transcript: p.Transcript, Tool: "MCP:" + p.Tool, Input: p.Args, ID: p.ID, Cwd: p.Cwd,
	}
}

// Before returns a preToolUse event.
func (Simulator) Before(p harnesses.ToolCall) []byte {
	e := newEvent(p, "preToolUse")
	e.Message = "Advancing the workflow."
	return harnesses.JSONLine(e)
}

// Earlier returns an afterMCPExecution event: the tool's name is without a prefix, the server is in a field of its own,
// and arguments and result are strings.
func (Simulator) Earlier(p harnesses.ToolCall, result []byte) []byte {
	e := newEvent(p, "afterMCPExecution")
	e.Tool, e.Server, e.Input = p.Tool, p.Server, harnesses.JSONLine(string(p.Args))
	e.Result, e.Duration = seen(result), 1234.217
	e.ID, e.Cwd = "", ""
	return harnesses.JSONLine(e)
}

// After returns a postToolUse event, or postToolUseFailure for a result marked as an error.
func (Simulator) After(p harnesses.ToolCall, result []byte) []byte {
	e := newEvent(p, "postToolUse")
	e.Output, e.Duration = seen(result), 1250.5
	if r := harnesses.ParseToolResult(result); r.IsError {
		no := false
		e.Event, e.Output, e.Error, e.Failure, e.Interrupt = "postToolUseFailure", "", r.Text(), "error", &no
	}
	return harnesses.JSONLine(e)
}

// seen returns the result as Cursor rebuilds it: without _meta, always with isError.
func seen(result []byte) string {
	r := harnesses.ParseToolResult(result)
	r.Meta = nil
	return string(bytes.TrimSuffix(harnesses.JSONLine(r), []byte("\n")))
}

// Transcript returns nil: wsi reads no transcripts of Cursor.
func (Simulator) Transcript(harnesses.ToolCall, []byte) []byte { return nil }

// Apply returns an error if Cursor blocks the call, which it does for output that is not an answer, or ignores the
// answer, which it does for statuses other than 0 and 2. A permission replaces the user's.
func (Simulator) Apply(p harnesses.ToolCall, stdout []byte, exit int) ([]byte, error) {
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
		return nil, fmt.Errorf("%w: permission %q stops it", harnesses.ErrDenied, answer.Permission)
	case answer.Permission != "":
		return nil, errors.New("the answer has a permission, which it must not have")
	case answer.Nested != nil:
		return nil, errors.New("hookSpecificOutput is Claude Code's form, which Cursor reads only if a remote switch is on")
	case answer.Input == nil:
		return p.Args, nil
	case answer.Input[0] != '{':
		return nil, errors.New("updated_input is not an object, so Cursor blocks the call")
	}
	return answer.Input, nil
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
func (Simulator) Shell(goos, command string) []string {
	if goos == "windows" {
		return []string{"powershell", "-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-Command", "$input | & " + command}
	}
	return []string{"/bin/sh", "-c", command}
}
