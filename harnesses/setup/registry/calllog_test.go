package registry

import (
	"path/filepath"
	"slices"
	"testing"

	"wsi/internal/testkit/envtest"
)

// The places follow the variables that move them, and names are written as each harness writes them.
func TestCallLogs(t *testing.T) {
	if filepath.Separator != '/' {
		t.Skip("the paths are absolute with slashes only")
	}
	variables := map[string]string{}
	env := envtest.Memory(nil, variables)
	env.Home = "/h"
	for _, c := range []struct {
		id, goos, server, variable, value string
		file, mark                        string
	}{
		{"claude-code", "linux", "a.b_c", "", "", "/h/.cache/claude-cli-nodejs/*/mcp-logs-a-b-c/*.jsonl", `"debug":"Calling MCP tool: `},
		{"claude-code", "linux", "s", "XDG_CACHE_HOME", "/x", "/x/claude-cli-nodejs/*/mcp-logs-s/*.jsonl", `"debug":"Calling MCP tool: `},
		{"claude-code", "darwin", "s", "", "", "/h/Library/Caches/claude-cli-nodejs/*/mcp-logs-s/*.jsonl", `"debug":"Calling MCP tool: `},
		{"codex", "linux", `a"b`, "CODEX_HOME", "/x", "/x/sessions/*/*/*/rollout-*.jsonl", `"server":"a\"b",`},
		{"opencode", "linux", "a.b", "XDG_DATA_HOME", "/x", "/x/opencode/log/*.log", "message=evaluated permission=a_b_"},
		{"opencode", "linux", "s", "XDG_DATA_HOME", "relative", "/h/.local/share/opencode/log/*.log", "message=evaluated permission=s_"},
	} {
		clear(variables)
		variables[c.variable] = c.value
		h, _ := Get(c.id)
		env.GOOS = c.goos
		log := h.CallLog(env, c.server)
		if !slices.Equal(log.Files, []string{c.file}) || !slices.Contains(log.Marks, c.mark) {
			t.Errorf("%s: %+v, want %s with %s", c.id, log, c.file, c.mark)
		}
	}
}
