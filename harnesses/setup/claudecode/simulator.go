package claudecode

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"wsi/harnesses"
	"wsi/harnesses/setup"
)

// Simulator simulates Claude Code 2.1.329, headless.
type Simulator struct{}

const prompt = "5e6cde0b-1f8f-4b0e-9a5e-000000000001"

// event returns a hook event, with members in the order in which Claude Code writes them. after are those that only an
// event after the call has.
func event(p setup.ToolCall, name string, response []byte, after ...any) []byte {
	return setup.JSONLine(slices.Concat(about(p, name), named(p), setup.Object{"tool_response", response, "tool_use_id", p.ID}, after, setup.Object{
		"mcp_server", setup.Object{"name", p.Server, "source", "user"},
	}))
}

func about(p setup.ToolCall, name string) setup.Object {
	transcript := p.Transcript
	var agent, agentType any
	if p.Agent != "" {
		// A sub-agent's events name the main agent's transcript, <session>.jsonl next to <session>/.
		transcript = filepath.Dir(filepath.Dir(p.Transcript)) + ".jsonl"
		agent, agentType = p.Agent, "general-purpose"
	}
	return setup.Object{
		"session_id", p.Session, "transcript_path", transcript, "cwd", p.Cwd, "prompt_id", prompt, "permission_mode", "default",
		"agent_id", agent, "agent_type", agentType, "hook_event_name", name,
	}
}

func named(p setup.ToolCall) setup.Object {
	return setup.Object{
		"tool_name", "mcp__" + harnesses.SafeName(p.Server, harnesses.WordOrHyphen) + "__" + harnesses.SafeName(p.Tool, harnesses.WordOrHyphen),
		"tool_input", p.Args,
	}
}

// Before returns a PreToolUse event.
func (Simulator) Before(p setup.ToolCall) []byte { return event(p, "PreToolUse", nil) }

// After returns a PostToolUse event, or PostToolUseFailure for a result marked as an error. No event has the result's _meta. The
// response is the array of content blocks with their own _meta or, if there is structured content, only that, as a string.
func (Simulator) After(p setup.ToolCall, result []byte) []byte {
	r := setup.ParseToolResult(result)
	switch {
	case r.IsError:
		return event(p, "PostToolUseFailure", nil, "error", r.Text(), "is_interrupt", false, "duration_ms", 7)
	case r.Structured != nil:
		return event(p, "PostToolUse", structured(r), "duration_ms", 7)
	}
	return event(p, "PostToolUse", setup.JSONLine(r.Content), "duration_ms", 7)
}

// Batch returns a PostToolBatch event (2.1.330). It has of the result what the model sees.
func (Simulator) Batch(p setup.ToolCall, result []byte) []byte {
	call := append(named(p), "tool_use_id", p.ID, "tool_response", shown(setup.ParseToolResult(result)))
	return setup.JSONLine(append(about(p, "PostToolBatch"), "tool_calls", []setup.Object{call}))
}

func structured(r setup.ToolResult) []byte { return setup.JSONLine(setup.JSONText(r.Structured)) }

// Transcript returns the line with the call's result. It holds the result's _meta, for an error as well.
func (Simulator) Transcript(p setup.ToolCall, result []byte) []byte {
	r := setup.ParseToolResult(result)
	const parent = "5e6cde0b-1f8f-4b0e-9a5e-000000000002"
	came := "2026-11-20T15:02:07.529Z"
	if !p.Came.IsZero() {
		came = p.Came.UTC().Format("2006-01-02T15:04:05.000Z")
	}
	toolResult := shown(r)
	var isError, agent, hint, meta any
	if r.IsError {
		isError, toolResult = true, setup.JSONLine("Error: "+r.Text())
	}
	if p.Agent != "" {
		agent, hint, toolResult = p.Agent, "no_hint", nil
	}
	if r.Meta != nil || r.Structured != nil {
		meta = setup.Object{"_meta", r.Meta, "structuredContent", r.Structured}
	}
	return setup.JSONLine(setup.Object{
		"parentUuid", parent, "isSidechain", p.Agent != "", "promptId", prompt, "agentId", agent, "type", "user",
		"message",
		setup.Object{"role", "user", "content", []setup.Object{{
			"type", "tool_result", "content", shown(r), "is_error", isError, "tool_use_id", p.ID,
		}}},
		"uuid", "5e6cde0b-1f8f-4b0e-9a5e-000000000003", "timestamp", came,
		"toolUseResult", toolResult, "mcpMeta", meta, "mcpCallNotReadOnly", hint, "sourceToolAssistantUUID", parent,
		"permissionDecision",
		setup.Object{"decision", "accept", "source", "user_permanent", "reasonType", "rule", "ruleSource", "userSettings"},
		"userType", "external", "entrypoint", "sdk-cli", "cwd", p.Cwd, "sessionId", p.Session, "version", "2.1.329", "gitBranch", "HEAD",
	})
}

// shown returns the result as the model sees it: blocks without their _meta, the structured content, or an error's text.
func shown(r setup.ToolResult) []byte {
	switch {
	case r.IsError:
		return setup.JSONLine(r.Text())
	case r.Structured != nil:
		return structured(r)
	}
	blocks := make([]map[string]json.RawMessage, len(r.Content))
	for i, raw := range r.Content {
		if json.Unmarshal(raw, &blocks[i]) == nil {
			delete(blocks[i], "_meta")
		}
	}
	return setup.JSONLine(blocks)
}

// Apply does what Claude Code does with each kind of answer. updatedInput replaces all arguments. A decision next to it
// does harm: "allow" approves the call without the user, and any other one stops it.
func (Simulator) Apply(p setup.ToolCall, stdout []byte, exit int) ([]byte, error) {
	if exit == 2 {
		return nil, errors.New("a hook that exits with status 2 blocks the call")
	}
	stdout = bytes.TrimSpace(stdout)
	if len(stdout) == 0 {
		return p.Args, nil
	}
	var answer struct {
		UpdatedInput json.RawMessage `json:"updatedInput"`
		Specific     *struct {
			Event        string          `json:"hookEventName"`
			Decision     *string         `json:"permissionDecision"`
			UpdatedInput json.RawMessage `json:"updatedInput"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal(stdout, &answer); err != nil {
		return nil, errors.New("the answer is not a JSON object, so Claude Code ignores it")
	}
	s := answer.Specific
	switch {
	case answer.UpdatedInput != nil:
		return nil, errors.New("updatedInput is at the top level, where Claude Code ignores it")
	case s == nil:
		return p.Args, nil
	case s.Event != "PreToolUse":
		return nil, fmt.Errorf("hookEventName is %q and not PreToolUse, so Claude Code ignores the answer", s.Event)
	case s.Decision != nil && *s.Decision == "allow":
		return nil, errors.New(`permissionDecision "allow" would approve the call without the user`)
	case s.Decision != nil && *s.Decision == "deny":
		return nil, fmt.Errorf("%w: permissionDecision %q stops it", setup.ErrDenied, *s.Decision)
	case s.Decision != nil:
		return nil, fmt.Errorf("permissionDecision %q stops the call", *s.Decision)
	}
	return p.Changed("updatedInput", s.UpdatedInput)
}

// Shell is /bin/sh, whatever the user's shell is. On Windows it is Git Bash or, where that is not installed, PowerShell
// (mksglu/context-mode issue 993 and open-gsd/gsd-core issue 2236; not tried).
func (Simulator) Shell(env setup.Env, command string) []string {
	if env.GOOS != "windows" {
		return []string{"/bin/sh", "-c", command}
	}
	if bash, ok := gitBash(env); ok {
		return []string{bash, "-c", command}
	}
	if argv, ok := setup.PowerShell(env, command); ok {
		return argv
	}
	return []string{"bash", "-c", command}
}
