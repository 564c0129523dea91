package claudecode

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"wsi/harnesses"
)

// Events of 2.1.329. Entries under another name are ignored without harm to the rest.
var events = []string{
	"PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "Notification", "UserPromptSubmit",
	"UserPromptExpansion", "SessionStart", "SessionEnd", "Stop", "StopFailure", "SubagentStart", "SubagentStop",
	"PreCompact", "PostCompact", "PreModelSwitch", "PostModelSwitch", "PermissionRequest", "PermissionDenied",
	"Setup", "TeammateIdle", "TaskCreated", "TaskCompleted", "Elicitation", "ElicitationResult", "ConfigChange",
	"WorktreeCreate", "WorktreeRemove", "InstructionsLoaded", "CwdChanged", "FileChanged", "DirectoryAdded",
	"MessageDisplay",
}

var types = []string{"command", "prompt", "agent", "http", "mcp_tool"}

// accepts knows the errors for which Claude Code drops a whole settings file, permissions included
// (2.1.197 and 2.1.329; a byte order mark is none of them).
func accepts(_ harnesses.HookFile, content []byte) error {
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	var root map[string]json.RawMessage
	if err := json.Unmarshal(content, &root); err != nil {
		return fmt.Errorf("claude code ignores the whole file: %w", harnesses.ExplainJSON(content, err))
	}
	if raw, ok := root["cleanupPeriodDays"]; ok {
		var days float64
		if json.Unmarshal(raw, &days) != nil || days <= 0 {
			return fmt.Errorf("claude code ignores the whole file: cleanupPeriodDays is %s, not a number above 0", raw)
		}
	}
	hooks := decoded[map[string]json.RawMessage](root["hooks"])
	for _, event := range events {
		for g, raw := range decoded[[]json.RawMessage](hooks[event]) {
			if err := group(raw); err != nil {
				return fmt.Errorf("claude code ignores the whole file: hooks.%s[%d]: %w", event, g, err)
			}
		}
	}
	return nil
}

// decoded is nothing for what has another type: Claude Code ignores only that part then.
func decoded[T any](raw []byte) T {
	var v, none T
	if json.Unmarshal(raw, &v) != nil {
		return none
	}
	return v
}

func group(raw []byte) error {
	var g struct {
		Matcher json.RawMessage   `json:"matcher"`
		Hooks   []json.RawMessage `json:"hooks"`
	}
	if err := json.Unmarshal(raw, &g); err != nil {
		return harnesses.ExplainJSON(nil, err)
	}
	if g.Matcher != nil && !isString(g.Matcher) {
		return fmt.Errorf("the matcher %s is not a string", g.Matcher)
	}
	for h, raw := range g.Hooks {
		var hook map[string]json.RawMessage
		if err := json.Unmarshal(raw, &hook); err != nil {
			return fmt.Errorf("hooks[%d]: %w", h, harnesses.ExplainJSON(nil, err))
		}
		var kind string
		if json.Unmarshal(hook["type"], &kind) != nil || !slices.Contains(types, kind) {
			return fmt.Errorf("hooks[%d]: unknown type %s", h, hook["type"])
		}
		if kind == "command" && !isString(hook["command"]) {
			return fmt.Errorf("hooks[%d]: no command", h)
		}
		var seconds float64
		if raw, ok := hook["timeout"]; ok && json.Unmarshal(raw, &seconds) != nil {
			return fmt.Errorf("hooks[%d]: the timeout %s is not a number", h, raw)
		}
	}
	return nil
}

func isString(raw []byte) bool {
	return len(raw) > 0 && raw[0] == '"'
}
