package claudecode

import (
	"path/filepath"
	"strings"

	"wsi/harnesses"
)

// timeout bounds a hook that waits for a transcript line, in seconds.
const timeout = 10

// wiring registers hooks in the user's settings.json, or in the project's settings.local.json: a command with a path
// of this machine must not get into a repository.
func wiring(env harnesses.Env, scope harnesses.Scope, p harnesses.Program) (harnesses.Wiring, error) {
	if err := p.Check(env.GOOS); err != nil {
		return harnesses.Wiring{}, err
	}
	path := filepath.Join(locate(env).ConfigHome, "settings.json")
	if scope == harnesses.Project {
		path = filepath.Join(env.Cwd, ".claude", "settings.local.json")
	}
	_, bash := gitBash(env)
	entry := func(event, verb, matcher string) harnesses.Entry {
		command := p.Command(env.GOOS, verb, ID)
		if !bash {
			command = harnesses.ForPowerShell(env.GOOS, command)
		}
		return harnesses.Entry{Event: event, Matcher: matcher, Command: command, Timeout: timeout}
	}
	entries := []harnesses.Entry{entry("PreToolUse", harnesses.Inject, matcher(p.Servers))}
	if seen := p.Seen(); len(seen) > 0 {
		entries = append(entries, entry("PostToolUse", harnesses.Capture, matcher(seen)), entry("PostToolUseFailure", harnesses.Capture, matcher(seen)))
	}
	if len(p.Handles) > 0 {
		compacted := entry("SessionStart", harnesses.Capture, "compact")
		compacted.Compaction = true
		entries = append(entries, compacted)
	}
	return harnesses.Wiring{Hooks: []harnesses.HookFile{{Path: path, Format: harnesses.JSON, Shape: harnesses.Grouped, Entries: entries}}}, nil
}

// matcher returns a pattern for mcp__<server>__<tool> and mcp__plugin_<plugin>_<server>__<tool>. Because of the ^,
// Claude Code does not read it as a list of exact names.
func matcher(servers []string) string {
	names := make([]string, len(servers))
	for i, s := range servers {
		names[i] = harnesses.SafeName(s, harnesses.WordOrHyphen)
	}
	name := strings.Join(names, "|")
	if len(names) > 1 {
		name = "(" + name + ")"
	}
	return "^mcp__(plugin_.+_)?" + name + "__"
}
