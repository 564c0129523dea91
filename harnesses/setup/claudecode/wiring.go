package claudecode

import (
	"path/filepath"
	"strings"

	"wsi/harnesses"
	"wsi/harnesses/claudecode"
	"wsi/harnesses/setup"
)

// timeout bounds a hook that waits for a transcript line, in seconds.
const timeout = 10

// wiring registers hooks in the user's settings.json, or in the project's settings.local.json: a command with a path
// of this machine must not get into a repository.
func wiring(env setup.Env, scope setup.Scope, p setup.Program) (setup.Wiring, error) {
	if err := p.Check(env.GOOS); err != nil {
		return setup.Wiring{}, err
	}
	path := filepath.Join(locate(env).ConfigHome, "settings.json")
	if scope == setup.Project {
		path = filepath.Join(env.Cwd, ".claude", "settings.local.json")
	}
	_, bash := gitBash(env)
	entry := func(event, verb, matcher string) setup.Entry {
		command := p.Command(env.GOOS, verb, claudecode.ID)
		if !bash {
			command = setup.ForPowerShell(env.GOOS, command)
		}
		return setup.Entry{Event: event, Matcher: matcher, Command: command, Timeout: timeout}
	}
	tools := matcher(p.Servers)
	entries := []setup.Entry{entry("PreToolUse", harnesses.Inject, tools)}
	if !p.Join { // else the relay sees the results
		entries = append(entries, entry("PostToolUse", harnesses.Capture, tools), entry("PostToolUseFailure", harnesses.Capture, tools))
		if p.Meta { // Claude Code runs it after each batch of calls of any tools, whatever its matcher says (2.1.330)
			batch := entry("PostToolBatch", harnesses.Capture, "")
			batch.Meta = true
			entries = append(entries, batch)
		}
	}
	return setup.Wiring{Hooks: []setup.HookFile{{Path: path, Format: setup.JSON, Shape: setup.Grouped, Entries: entries}}}, nil
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
