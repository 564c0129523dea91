package claudecode

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"wsi/harnesses/setup"
)

// What 2.1.330 does: TestFailuresOfClaudeCode asks it.
func TestFailure(t *testing.T) {
	for _, c := range []struct{ event, entry, want string }{
		{"PreToolUse", `"type": "command", "command": "x"`, ""},
		{"PreToolUse", `"type": "command", "command": "x", "onFailure": "block"`, "closed: a failure of the hook blocks the call"},
		{"PreToolUse", `"type": "command", "command": "x", "onFailure": "continue"`, "open: a failure of the hook blocks nothing"},
		{
			"PreToolUse", `"type": "command", "command": "x", "onFailure": "block", "async": true`,
			"open: a failure of the hook blocks nothing: it runs in the background, whatever onFailure says",
		},
		{"PreToolUse", `"type": "http", "url": "http://x", "onFailure": "block"`, "closed: a failure of the hook blocks the call"},
		{"PreToolUse", `"type": "mcp_tool", "server": "x", "tool": "y", "onFailure": null`, "closed: a failure of the hook blocks the call"},
		{"PreToolUse", `"type": "prompt", "prompt": "x", "onFailure": "block"`, "open: a failure of the hook blocks nothing: onFailure is not for type prompt"},
		{"UserPromptSubmit", `"type": "command", "command": "x", "onFailure": "block"`, "closed: a failure of the hook blocks the prompt"},
		{"Stop", `"type": "command", "command": "x", "onFailure": "block"`, "open: a failure of the hook blocks nothing under Stop, whatever onFailure says"},
	} {
		h := setup.Hook{Event: c.event}
		if err := json.Unmarshal([]byte("{"+c.entry+"}"), &h.Fields); err != nil {
			t.Fatal(err)
		}
		h.Kind, _ = h.Fields["type"].(string)
		f := failure(&h)
		if got := strings.TrimPrefix(f.Fails+": "+f.How, ": "); got != c.want {
			t.Errorf("%s {%s}: %q, want %q", c.event, c.entry, got, c.want)
		}
	}
}

// Wrong values: TestHooksOfClaudeCodeByOnFailure asks it.
func TestWrongOnFailure(t *testing.T) {
	for entry, wrong := range map[string]bool{
		`"type": "command", "command": "x", "onFailure": "block"`: false, `"type": "command", "command": "x", "onFailure": "Block"`: true,
		`"type": "command", "command": "x", "onFailure": null`: true, `"type": "http", "url": "http://x", "onFailure": "other"`: true,
		`"type": "mcp_tool", "server": "x", "tool": "y", "onFailure": "other"`: false, `"type": "prompt", "prompt": "x", "onFailure": "other"`: false,
	} {
		err := validate(setup.HookFile{}, []byte(`{"hooks": {"PreToolUse": [{"hooks": [{`+entry+`}]}]}}`))
		var invalid setup.InvalidConfigError
		if wrong != errors.As(err, &invalid) || wrong && invalid.Place != "hooks.PreToolUse[0].hooks[0].onFailure" {
			t.Errorf("%s: %v", entry, err)
		}
	}
}
