package codex

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"wsi/harnesses"
)

var events = []string{
	"PreModelRequest", "PostModelRequest", "PreToolUse", "PermissionRequest", "PostToolUse", "PreCompact",
	"PostCompact", "SessionStart", "SessionEnd", "UserPromptSubmit", "SubagentStart", "SubagentStop", "Stop", "Interrupt",
}

// accepts knows the errors for which Codex drops a whole hooks.json with no more than a warning at
// its start. Of a config.toml it only checks that it parses.
func accepts(file harnesses.HookFile, content []byte) error {
	if file.Format == harnesses.TOML {
		if _, err := parse(content); err != nil {
			return fmt.Errorf("codex does not start with this file: %w", err)
		}
		return nil
	}
	if err := acceptsJSON(content); err != nil {
		return fmt.Errorf("codex ignores the whole file: %w", err)
	}
	return nil
}

func acceptsJSON(content []byte) error {
	if bytes.HasPrefix(content, []byte("\ufeff")) {
		return errors.New("it begins with a byte order mark")
	}
	var root map[string]json.RawMessage
	if err := json.Unmarshal(content, &root); err != nil {
		return harnesses.ExplainJSON(content, err)
	}
	for key := range root {
		if key != "hooks" && key != "description" {
			return fmt.Errorf("unknown top-level key %q", key)
		}
	}
	var hooks map[string]json.RawMessage
	if err := json.Unmarshal(root["hooks"], &hooks); err != nil || hooks == nil {
		return errors.New("no object \"hooks\"")
	}
	for _, event := range events {
		if raw, ok := hooks[event]; ok {
			if err := acceptsEvent(event, raw); err != nil {
				return err
			}
		}
	}
	return nil
}

func acceptsEvent(event string, raw []byte) error {
	var groups []struct {
		Hooks []map[string]json.RawMessage `json:"hooks"`
	}
	if err := json.Unmarshal(raw, &groups); err != nil {
		return fmt.Errorf("hooks.%s: %w", event, harnesses.ExplainJSON(nil, err))
	}
	for g, group := range groups {
		for h, hook := range group.Hooks {
			at := fmt.Sprintf("hooks.%s[%d].hooks[%d]", event, g, h)
			var kind string
			if json.Unmarshal(hook["type"], &kind) != nil || !slices.Contains([]string{"command", "mcp_tool", "prompt", "agent"}, kind) {
				return fmt.Errorf("%s: unknown type %s", at, hook["type"])
			}
			raw, ok := hook["timeout"]
			var seconds uint64
			if ok && string(raw) != "null" && (json.Unmarshal(raw, &seconds) != nil || strings.ContainsAny(string(raw), ".eE")) {
				return fmt.Errorf("%s: the timeout %s is not a whole number of seconds", at, raw)
			}
		}
	}
	return nil
}
