package cursor

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/tidwall/jsonc"

	"wsi/harnesses/setup"
)

var events = []string{
	"beforeShellExecution", "beforeMCPExecution", "afterShellExecution", "afterMCPExecution", "beforeReadFile",
	"afterFileEdit", "beforeTabFileRead", "afterTabFileEdit", "stop", "beforeSubmitPrompt", "afterAgentResponse",
	"afterAgentThought", "sessionStart", "sessionEnd", "preCompact", "subagentStart", "subagentStop", "preToolUse",
	"postToolUse", "postToolUseFailure", "workspaceOpen",
}

// skips judges the types of entries: command, if there is none, and prompt (documentation of 2026-08-25).
func skips(_ setup.Env, file setup.HookFile, _ []byte, hooks []setup.Hook) {
	if file.Origin == setup.OfImport {
		return
	}
	setup.HookRules{Name: "Cursor", Events: events, Types: map[string]string{"": "command", "command": "command", "prompt": "prompt"}}.Judge(hooks, nil, nil)
}

// validate finds the errors for which Cursor rejects or silently ignores a whole hooks.json.
func validate(_ setup.HookFile, content []byte) error {
	return faultIn(content).With("cursor ignores the whole file")
}

func faultIn(content []byte) *setup.InvalidConfigError {
	plain := jsonc.ToJSON(content)
	root, err := setup.DecodeJavaScript(plain)
	if err != nil {
		return &setup.InvalidConfigError{Why: setup.ExplainJSON(plain, err).Error()}
	}
	version, ok := root["version"].(float64)
	if !ok || version < 1 || version != math.Trunc(version) || math.IsInf(version, 1) {
		bad := setup.Wrong("version", root["version"], "a positive whole number")
		bad.Fix = `write "version": 1`
		return bad
	}
	if bad := noSlashes("", root); bad != nil {
		return bad
	}
	hooks, _ := root["hooks"].(map[string]any)
	for _, event := range slices.Sorted(maps.Keys(hooks)) {
		if !slices.Contains(events, event) {
			return &setup.InvalidConfigError{Place: "hooks." + event, Why: fmt.Sprintf("unknown event %q", event), Fix: "rename it to one that Cursor knows, or remove it"}
		}
		entries, _ := hooks[event].([]any)
		for i, raw := range entries {
			entry, _ := raw.(map[string]any)
			pattern, _ := entry["matcher"].(string)
			if err := setup.NotJavaScript(pattern); err != nil {
				return &setup.InvalidConfigError{
					Place: fmt.Sprintf("hooks.%s[%d].matcher", event, i),
					Why:   fmt.Sprintf("%s is not a regular expression: %v", pattern, err), Fix: "correct the matcher",
				}
			}
		}
	}
	return nil
}

// noSlashes returns an error for a string with // or /*: Cursor strips comments even inside strings, and silently ignores
// the file. The error names only the place: the string may hold a secret.
func noSlashes(place string, v any) *setup.InvalidConfigError {
	switch v := v.(type) {
	case string:
		if strings.Contains(v, "//") || strings.Contains(v, "/*") {
			return &setup.InvalidConfigError{
				Place: strings.TrimPrefix(place, "."), Why: "Cursor treats its // or /* as a comment",
				Fix: "move it into a script, and write the path of the script there",
			}
		}
	case []any:
		for i, e := range v {
			if bad := noSlashes(fmt.Sprintf("%s[%d]", place, i), e); bad != nil {
				return bad
			}
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if key == "$schema" {
				continue
			}
			if bad := noSlashes(place+"."+key, v[key]); bad != nil {
				return bad
			}
		}
	}
	return nil
}
