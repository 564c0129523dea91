package codex

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"wsi/harnesses"
	"wsi/harnesses/setup"
)

// Simulator simulates codex exec of codex-cli 0.169.0.
type Simulator struct{}

const turn = "01a1f98f-f508-7b32-8bb3-000000000001"

// event returns a hook event, with members in the order in which Codex writes them.
func event(p setup.ToolCall, name string, response []byte) []byte {
	var agent, agentType any
	if p.Agent != "" {
		agent, agentType = p.Agent, "default"
	}
	server := strings.TrimRight(harnesses.SafeName(p.Server, harnesses.Word), "_")
	return setup.JSONLine(setup.Object{
		"session_id", p.Session, "turn_id", turn, "agent_id", agent, "agent_type", agentType, "transcript_path", p.Transcript,
		"cwd", p.Cwd, "hook_event_name", name, "model", "mock-model", "permission_mode", "bypassPermissions",
		"tool_name", "mcp__" + server + "__" + p.Tool, "tool_input", p.Args, "tool_response", response, "tool_use_id", p.ID,
	})
}

// Before returns a PreToolUse event.
func (Simulator) Before(p setup.ToolCall) []byte { return event(p, "PreToolUse", nil) }

// After returns a PostToolUse event with the whole result, _meta included, or nil for an error.
func (Simulator) After(p setup.ToolCall, result []byte) []byte {
	if setup.ParseToolResult(result).IsError {
		return nil
	}
	return event(p, "PostToolUse", result)
}

// Transcript returns the rollout line that completes the call, written before the next hook runs. It holds the whole
// result, for a call that failed as well.
func (Simulator) Transcript(p setup.ToolCall, result []byte) []byte {
	const completed = 1795188329526
	status := "completed"
	if setup.ParseToolResult(result).IsError {
		status = "failed"
	}
	return setup.JSONLine(setup.Object{
		"timestamp", "2026-11-20T15:25:29.526Z", "ordinal", 16, "type", "event_msg",
		"payload",
		setup.Object{
			"type", "item_completed", "thread_id", cmp.Or(p.Agent, p.Session), "turn_id", turn,
			"item",
			setup.Object{
				"type", "McpToolCall", "id", p.ID, "server", p.Server, "tool", p.Tool, "arguments", p.Args, "status", status,
				"result", result, "duration",
				setup.Object{"secs", 0, "nanos", 1952624},
			},
			"started_at_ms", completed - 2, "completed_at_ms", completed,
		},
	})
}

var (
	topKeys      = []string{"continue", "systemMessage", "hookSpecificOutput"}
	specificKeys = []string{"hookEventName", "permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext"}
)

// Apply returns an error for an answer that Codex ignores, so that the call keeps the model's arguments: one with an unknown key,
// with changed arguments but not "allow", with "allow" but not changed arguments, or with a status other than 0.
func (Simulator) Apply(p setup.ToolCall, stdout []byte, exit int) ([]byte, error) {
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
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if !slices.Contains(known, key) {
			return fmt.Errorf("unknown key %q, so Codex ignores the answer", key)
		}
	}
	return nil
}

func rewrite(p setup.ToolCall, specific map[string]json.RawMessage) ([]byte, error) {
	decision, input := string(specific["permissionDecision"]), specific["updatedInput"]
	switch {
	case string(specific["hookEventName"]) != `"PreToolUse"`:
		return nil, errors.New("hookEventName is not PreToolUse, so Codex ignores the answer")
	case decision == "" && input == nil:
		return p.Args, nil
	case decision == "":
		return nil, errors.New(`updatedInput without permissionDecision "allow", so Codex ignores the answer`)
	case decision == `"deny"`:
		return nil, fmt.Errorf("%w: permissionDecision %s stops it", setup.ErrDenied, decision)
	case decision != `"allow"`:
		return nil, fmt.Errorf("permissionDecision %s, so Codex ignores the answer", decision)
	case input == nil:
		return nil, errors.New(`permissionDecision "allow" without updatedInput, so Codex ignores the answer`)
	}
	return p.Changed("updatedInput", input)
}

// Shell is /bin/sh in place of the user's shell, which Codex runs with -c, not as a login shell. On Windows it is PowerShell
// and, where there is none, cmd (0.153.4 to 0.156, openai/codex issue 46454 and what others measured; not tried).
func (Simulator) Shell(env setup.Env, command string) []string {
	if env.GOOS == "windows" {
		if argv, ok := setup.PowerShell(env, command); ok {
			return argv
		}
		return []string{"cmd", "/c", command}
	}
	return []string{"/bin/sh", "-c", command}
}

// meta names the caller as 0.169.0 does: in a sub-agent the thread differs from the session.
func meta(p setup.ToolCall) []byte {
	return setup.JSONLine(setup.Object{"callId", p.ID, "sessionId", p.Session, "threadId", cmp.Or(p.Agent, p.Session)})
}
