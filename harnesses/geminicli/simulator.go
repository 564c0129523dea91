package geminicli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"wsi/harnesses"
)

// Simulator simulates Gemini CLI 0.61.0, headless.
type Simulator struct{}

// event is a hook event, with members in the order in which Gemini CLI writes them.
type event struct {
	Session    string          `json:"session_id"`
	Transcript string          `json:"transcript_path"`
	Cwd        string          `json:"cwd"`
	Event      string          `json:"hook_event_name"`
	Time       string          `json:"timestamp"`
	Tool       string          `json:"tool_name"`
	Input      json.RawMessage `json:"tool_input"`
	Response   *response       `json:"tool_response,omitempty"`
	Context    context         `json:"mcp_context"`
}

type response struct {
	Model any    `json:"llmContent"`
	User  string `json:"returnDisplay"`
	Error *fault `json:"error,omitempty"`
}

type fault struct {
	Message string `json:"message"`
	Type    string `json:"type"`
}

type context struct {
	Server  string   `json:"server_name"`
	Tool    string   `json:"tool_name"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

func newEvent(p harnesses.ToolCall, name string) event {
	return event{
		Session: p.Session, Transcript: p.Transcript, Cwd: p.Cwd, Event: name, Time: "2026-11-21T17:41:50.042Z",
		Tool: called(prefix(p.Server) + p.Tool), Input: p.Args, Context: context{p.Server, p.Tool, "node", []string{"server.js"}},
	}
}

// Before returns a BeforeTool event.
func (Simulator) Before(p harnesses.ToolCall) []byte {
	return harnesses.JSONLine(newEvent(p, "BeforeTool"))
}

// After returns an AfterTool event: the text or, for an error, the whole result.
func (Simulator) After(p harnesses.ToolCall, raw []byte) []byte {
	e, r := newEvent(p, "AfterTool"), harnesses.ParseToolResult(raw)
	text := r.Text()
	e.Response = &response{Model: []map[string]string{{"text": "<untrusted_context>\n" + text + "\n</untrusted_context>"}}, User: text}
	if r.IsError {
		said := fmt.Sprintf(`MCP tool '%s' reported tool error for function call: {"name":%q,"args":%s} with response: [{"functionResponse":{"name":%q,"response":%s}}]`,
			p.Tool, p.Tool, compact(p.Args), p.Tool, compact(raw))
		e.Response = &response{
			Model: said, User: fmt.Sprintf("Error: MCP tool '%s' reported an error.", p.Tool), Error: &fault{said, "mcp_tool_error"},
		}
	}
	return harnesses.JSONLine(e)
}

func compact(raw []byte) string {
	var text bytes.Buffer
	if json.Compact(&text, raw) != nil {
		return "null"
	}
	return text.String()
}

// Transcript returns nil: wsi reads no transcripts of Gemini CLI.
func (Simulator) Transcript(harnesses.ToolCall, []byte) []byte { return nil }

// Apply denies the call if the hook prints something to stdout or stderr and exits with a status other than 0 and 1. A
// shell that does not find wsi does that.
func (Simulator) Apply(p harnesses.ToolCall, stdout []byte, exit int) ([]byte, error) {
	stdout = bytes.TrimSpace(stdout)
	var answer struct {
		Decision string `json:"decision"`
		Continue *bool  `json:"continue"`
		Specific struct {
			Input json.RawMessage `json:"tool_input"`
		} `json:"hookSpecificOutput"`
	}
	switch err := json.Unmarshal(stdout, &answer); {
	case exit > 1:
		return nil, errors.New("a hook that fails with a message denies the call")
	case len(stdout) == 0:
		return p.Args, nil
	case err != nil:
		return nil, errors.New("output that is not a JSON object is shown to the user as a message")
	case answer.Decision == "ask":
		return nil, errors.New(`the decision "ask" asks the user`)
	case answer.Decision == "deny":
		return nil, fmt.Errorf("%w: the decision %q stops it", harnesses.ErrDenied, answer.Decision)
	case answer.Decision != "" && answer.Decision != "allow" && answer.Decision != "approve", answer.Continue != nil && !*answer.Continue:
		return nil, errors.New("a decision stops the call")
	case answer.Specific.Input == nil:
		return p.Args, nil
	case answer.Specific.Input[0] != '{':
		return nil, errors.New("tool_input is not an object")
	}
	return answer.Specific.Input, nil
}

// Shell is bash, on Windows PowerShell.
func (Simulator) Shell(goos, command string) []string {
	if goos == "windows" {
		return []string{"powershell", "-NoProfile", "-NonInteractive", "-Command", "$input | " + strings.TrimSpace(command)}
	}
	return []string{"bash", "-c", command}
}
