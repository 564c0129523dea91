package copilotcli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"wsi/harnesses"
)

// Simulator simulates Copilot CLI 1.0.102, headless.
type Simulator struct{ harnesses.NoTranscript }

// event returns a hook event, with members in the order in which Copilot CLI writes them. A sub-agent has a session of
// its own.
func event(p harnesses.ToolCall, result any) []byte {
	var agent, agentType, parent any
	if p.Agent != "" {
		agent, agentType, parent = p.Agent, "general-purpose", p.Session
	}
	return harnesses.JSONLine(harnesses.Object{
		"sessionId", cmp.Or(p.Agent, p.Session),
		"timestamp", 1795187394278, // milliseconds
		"cwd", p.Cwd,
		"toolName", p.Server + "-" + p.Tool,
		"toolArgs", p.Args,
		"toolResult", result,
		"agentId", agent,
		"agentType", agentType,
		"parentAgentId", parent,
	})
}

// Before returns a preToolUse event.
func (Simulator) Before(p harnesses.ToolCall) []byte { return event(p, nil) }

// After returns a postToolUse event with the text and then the structured content, without _meta. It returns nil for an
// error, which has another event.
func (Simulator) After(p harnesses.ToolCall, raw []byte) []byte {
	r := harnesses.ParseToolResult(raw)
	if r.IsError {
		return nil
	}
	text := r.Text()
	if r.Structured != nil {
		text += "\n\n" + strings.TrimSuffix(string(harnesses.JSONLine(r.Structured)), "\n")
	}
	return event(p, harnesses.Object{"resultType", "success", "textResultForLlm", text})
}

// Compacted returns the event before a compaction; there is none behind it.
func (Simulator) Compacted(p harnesses.ToolCall) []byte {
	o := harnesses.Object{
		"sessionId", cmp.Or(p.Agent, p.Session), "timestamp", 1795187394278, "cwd", p.Cwd, "transcriptPath", p.Transcript, "trigger", "auto", "customInstructions", "",
	}
	if p.Agent != "" {
		o = append(o, "agentId", p.Agent, "agentType", "general-purpose", "parentAgentId", p.Session)
	}
	return harnesses.JSONLine(o)
}

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
	}
	return p.Changed("modifiedArgs", answer.Args)
}

// Shell is bash. On Windows it is PowerShell, by the name of the entry.
func (Simulator) Shell(env harnesses.Env, command string) []string {
	if env.GOOS == "windows" {
		return []string{"powershell", "-NoProfile", "-NonInteractive", "-Command", "$input | & " + command}
	}
	return []string{"bash", "-c", command}
}
