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
type Simulator struct{ harnesses.NoTranscript }

// event returns a hook event, with members in the order in which Gemini CLI writes them.
func event(p harnesses.ToolCall, name string, response any) []byte {
	return harnesses.JSONLine(harnesses.Object{
		"session_id", p.Session,
		"transcript_path", p.Transcript,
		"cwd", p.Cwd,
		"hook_event_name", name,
		"timestamp", "2026-11-21T17:41:50.042Z",
		"tool_name", called(prefix(p.Server) + p.Tool),
		"tool_input", p.Args,
		"tool_response", response,
		"mcp_context",
		harnesses.Object{"server_name", p.Server, "tool_name", p.Tool, "command", "node", "args", []string{"server.js"}},
	})
}

// Before returns a BeforeTool event.
func (Simulator) Before(p harnesses.ToolCall) []byte { return event(p, "BeforeTool", nil) }

// After returns an AfterTool event: the text or, for an error, the whole result.
func (Simulator) After(p harnesses.ToolCall, raw []byte) []byte {
	r := harnesses.ParseToolResult(raw)
	if r.IsError {
		said := fmt.Sprintf(`MCP tool '%s' reported tool error for function call: {"name":%q,"args":%s} with response: [{"functionResponse":{"name":%q,"response":%s}}]`,
			p.Tool, p.Tool, compact(p.Args), p.Tool, compact(raw))
		return event(p, "AfterTool", harnesses.Object{
			"llmContent", said,
			"returnDisplay", fmt.Sprintf("Error: MCP tool '%s' reported an error.", p.Tool),
			"error",
			harnesses.Object{"message", said, "type", "mcp_tool_error"},
		})
	}
	text := r.Text()
	return event(p, "AfterTool", harnesses.Object{
		"llmContent",
		[]harnesses.Object{{"text", "<untrusted_context>\n" + text + "\n</untrusted_context>"}},
		"returnDisplay", text,
	})
}

func compact(raw []byte) string {
	var text bytes.Buffer
	if json.Compact(&text, raw) != nil {
		return "null"
	}
	return text.String()
}

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
	}
	return p.Changed("tool_input", answer.Specific.Input)
}

// Shell is bash, on Windows PowerShell.
func (Simulator) Shell(env harnesses.Env, command string) []string {
	if env.GOOS == "windows" {
		return []string{"powershell", "-NoProfile", "-NonInteractive", "-Command", "$input | " + strings.TrimSpace(command)}
	}
	return []string{"bash", "-c", command}
}
