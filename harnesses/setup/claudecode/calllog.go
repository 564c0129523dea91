package claudecode

import (
	"cmp"
	"path/filepath"
	"strings"

	"wsi/harnesses"
	"wsi/harnesses/setup"
)

// callLog returns the logs that Claude Code keeps of each server in its cache, in a folder for each project (2.1.197 and
// 2.1.330; on macOS and Windows as its program says, not tried there).
func callLog(env setup.Env, server string) setup.CallLog {
	cache := env.ByOS(
		filepath.Join(cmp.Or(env.Getenv("XDG_CACHE_HOME"), filepath.Join(env.Home, ".cache")), "claude-cli-nodejs"),
		filepath.Join(env.Home, "Library", "Caches", "claude-cli-nodejs"),
		filepath.Join(cmp.Or(env.Getenv("LOCALAPPDATA"), filepath.Join(env.Home, "AppData", "Local")), "claude-cli-nodejs", "Cache"),
	)
	alphanumeric := func(r rune) bool { return r != '_' && harnesses.Word(r) }
	name := strings.ReplaceAll(harnesses.SafeName(server, alphanumeric), "_", "-")
	return setup.CallLog{
		Files: []string{filepath.Join(cache, "*", "mcp-logs-"+name, "*.jsonl")},
		Marks: []string{`"debug":"Calling MCP tool: `},
	}
}
