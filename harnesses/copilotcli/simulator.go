package copilotcli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"wsi/harnesses"
)

// Simulator simulates Copilot CLI 1.0.102, headless.
type Simulator struct{}

// event is a hook event, with members in the order in which Copilot CLI writes them.
type event struct {
	Session string          `json:"sessionId"`
	Time    int64           `json:"timestamp"` // milliseconds
	Cwd     string          `json:"cwd"`
	Tool    string          `json:"toolName"`
	Args    json.RawMessage `json:"toolArgs"`
	Result  *result         `json:"toolResult,omitempty"`
	Agent   string          `json:"agentId,omitempty"`
	Type    string          `json:"agentType,omitempty"`
	Parent  string          `json:"parentAgentId,omitempty"`
}

type result struct {
	Type string `json:"resultType"`
	Text string `json:"textResultForLlm"`
}

func newEvent(p harnesses.ToolCall) event {
	e := event{Session: p.Session, Time: 1795187394278, Cwd: p.Cwd, Tool: p.Server + "-" + p.Tool, Args: p.Args}
	if p.Agent != "" {
		e.Session, e.Agent, e.Type, e.Parent = p.Agent, p.Agent, "general-purpose", p.Session
	}
	return e
}

// Before returns a preToolUse event.
func (Simulator) Before(p harnesses.ToolCall) []byte { return harnesses.JSONLine(newEvent(p)) }

// After returns a postToolUse event with the text and then the structured content, without _meta. It returns nil for an
// error, which has another event.
func (Simulator) After(p harnesses.ToolCall, raw []byte) []byte {
	r := harnesses.ParseToolResult(raw)
	if r.IsError {
		return nil
	}
	e := newEvent(p)
	e.Result = &result{Type: "success", Text: r.Text()}
	if r.Structured != nil {
		e.Result.Text += "\n\n" + strings.TrimSuffix(string(harnesses.JSONLine(r.Structured)), "\n")
	}
	return harnesses.JSONLine(e)
}

// Transcript returns nil: wsi reads no transcripts of Copilot CLI.
func (Simulator) Transcript(harnesses.ToolCall, []byte) []byte { return nil }

// Apply denies the call if the hook fails, and returns an error for a decision, which would replace the user's.
func (Simulator) Apply(p harnesses.ToolCall, stdout []byte, exit int) ([]byte, error) {
	if exit != 0 {
		return nil, errors.New("a hook that fails denies the call")
	}
	if stdout = bytes.TrimSpace(stdout); len(stdout) == 0 {
		return p.Args, nil
	}
	var answer struct {
		Decision string          `json:"permissionDecision"`
		Args     json.RawMessage `json:"modifiedArgs"`
	}
	switch err := json.Unmarshal(stdout, &answer); {
	case err != nil:
		return nil, errors.New("the answer is not a JSON object")
	case answer.Decision == "allow":
		return nil, errors.New(`permissionDecision "allow" would approve the call without the user`)
	case answer.Decision == "deny":
		return nil, fmt.Errorf("%w: permissionDecision %q stops it", harnesses.ErrDenied, answer.Decision)
	case answer.Decision != "":
		return nil, errors.New("a permissionDecision stops the call")
	case answer.Args == nil:
		return p.Args, nil
	case answer.Args[0] != '{':
		return nil, errors.New("modifiedArgs is not an object")
	}
	return answer.Args, nil
}

// Shell is bash. On Windows it is PowerShell, by the name of the entry.
func (Simulator) Shell(goos, command string) []string {
	if goos == "windows" {
		return []string{"powershell", "-NoProfile", "-NonInteractive", "-Command", "$input | & " + command}
	}
	return []string{"bash", "-c", command}
}
