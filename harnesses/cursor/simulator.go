package cursor

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"wsi/harnesses"
)

// Simulator plays Cursor 3.14.7 by its documentation.
type Simulator struct{}

// event is a hook event; its members stand in the order of the documentation.
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

// newEvent is what all events have. A sub-agent's own events are not documented: it is played as a
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

// Earlier returns an afterMCPExecution event: it names the tool bare and the server beside it, and
// has arguments and result as strings.
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

// seen is the result as Cursor builds it anew: no _meta, isError always there.
func seen(result []byte) string {
	r := harnesses.ParseToolResult(result)
	r.Meta = nil
	return string(bytes.TrimSuffix(harnesses.JSONLine(r), []byte("\n")))
}

// Transcript is nothing: wsi reads none of Cursor's.
func (Simulator) Transcript(harnesses.ToolCall, []byte) []byte { return nil }

// Apply knows that Cursor blocks a tool whose hook prints something that is no answer, that it fails
// open for statuses other than 0 and 2, and that "permission" is what the user should be asked.
func (Simulator) Apply(p harnesses.ToolCall, stdout []byte, exit int) ([]byte, error) {
	stdout = bytes.TrimSpace(stdout)
	switch {
	case exit == 2:
		return nil, errors.New("a hook that exits with status 2 blocks the call")
	case exit != 0 && len(stdout) > 0:
		return nil, errors.New("the hook failed, Cursor ignores its answer")
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
		return nil, errors.New("the answer is no JSON object, for which Cursor blocks the call")
	}
	switch {
	case !slices.Contains([]string{"", "allow", "deny", "ask"}, answer.Permission):
		return nil, errors.New("the permission is none that Cursor knows, for which it blocks the call")
	case answer.Permission == "allow":
		return nil, errors.New(`permission "allow" would approve the call over the user's head`)
	case answer.Permission == "deny":
		return nil, errors.New(`permission "deny" stops the call`)
	case answer.Permission != "":
		return nil, errors.New("a permission stands in the answer, where none belongs")
	case answer.Nested != nil:
		return nil, errors.New("hookSpecificOutput is Claude Code's form, which Cursor reads only where a remote switch is on")
	case answer.Input == nil:
		return p.Args, nil
	case answer.Input[0] != '{':
		return nil, errors.New("updated_input is no object, for which Cursor blocks the call")
	}
	return answer.Input, nil
}

// lastObject returns the whole output if it is an object, else the longest end of it that is one.
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
