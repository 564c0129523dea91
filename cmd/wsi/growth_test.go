package main

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"wsi/internal/testkit/growthtest"
)

// The hooks of a repository are read by every command, before the user trusts it. Eight times as many take about eight times
// as long.
func TestTimeOfManyHooksIsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	const group = `{"matcher": "m#.*", "hooks": [{"type": "command", "command": "/bin/x# a"}]}`
	const flat = `{"matcher": "m#.*", "command": "/bin/x# a"}`
	for name, files := range map[string]map[string]func(n int) string{
		"groups":          {".claude/settings.json": repeated(`{"hooks": {"PreToolUse": [`, group, `]}}`)},
		"one group":       {".claude/settings.json": repeated(`{"hooks": {"PreToolUse": [{"hooks": [`, `{"type": "command", "command": "x#"}`, `]}]}}`)},
		"events":          {".claude/settings.json": repeated(`{"hooks": {`, `"E#": [{"hooks": [{"type": "command", "command": "true"}]}]`, `}}`)},
		"imported":        {".claude/settings.json": repeated(`{"hooks": {"PreToolUse": [`, group, `]}}`), ".cursor/hooks.json": repeated(`{"version": 1, "hooks": {"preToolUse": [`, flat, `]}}`)},
		"Codex":           {".codex/hooks.json": repeated(`{"hooks": {"PreToolUse": [`, group, `]}}`)},
		"Codex, TOML":     {".codex/config.toml": repeated("hooks.PreToolUse = [", "{hooks = [{type = 'command', command = 'x#'}]}", "]\n")},
		"hooks of a tool": {".mcp.json": repeated(`{"mcpServers": {`, `"s#": {"command": "x"}`, `}}`), ".claude/settings.json": repeated(`{"hooks": {"PreToolUse": [`, `{"matcher": "mcp__s#__.*", "hooks": [{"type": "command", "command": "x"}]}`, `]}}`)},
	} {
		for _, command := range [][]string{{"hooks", "--json"}, {"status"}, {"doctor"}, {"setup", "--dry-run", "--scope", "project", "--binary", installed, "--harness", "claude-code,codex", "--server", "workflow-server"}} {
			t.Run(name+"/"+strings.Join(command, " "), func(t *testing.T) {
				growthtest.Linear(t, 100, func(n int) func() {
					w := newWorld(t, map[string]string{".claude.json": `{"mcpServers": {"workflow-server": {"command": "x"}}}`, ".codex/config.toml": "", ".cursor/mcp.json": "{}"}, nil)
					for path, content := range files {
						w.put(t, filepath.Join("src", "demo", filepath.FromSlash(path)), content(n))
					}
					if out, _ := w.run("hooks", "--json"); strings.Count(out, `"event"`) < n {
						t.Fatalf("%d hooks are not listed: %s", n, out)
					}
					return func() { w.run(command...) }
				})
			})
		}
	}
}

// repeated returns a text with n parts, separated by commas. A # in a part becomes its number.
func repeated(before, part, after string) func(n int) string {
	return func(n int) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = strings.ReplaceAll(part, "#", strconv.Itoa(i))
		}
		return before + strings.Join(parts, ",\n") + after
	}
}
