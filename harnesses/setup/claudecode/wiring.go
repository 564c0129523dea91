package claudecode

import (
	"path/filepath"
	"strings"

	"wsi/harnesses"
	"wsi/harnesses/claudecode"
	"wsi/harnesses/setup"
	"wsi/internal/lists"
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
	names := lists.Map(servers, func(s string) string { return harnesses.SafeName(s, harnesses.WordOrHyphen) })
	name := strings.Join(names, "|")
	if len(names) > 1 {
		name = "(" + name + ")"
	}
	return "^mcp__(plugin_.+_)?" + name + "__"
}

// managed returns the settings file of the machine's administrator (Linux: tried with 2.1.197 and 2.1.329; others:
// code.claude.com/docs/en/managed-settings, 2026-11). Settings that an organization distributes by MDM or
// from its console are not in a file.
func managed(env setup.Env) string {
	return env.ByOS("/etc/claude-code/managed-settings.json",
		"/Library/Application Support/ClaudeCode/managed-settings.json", `C:\Program Files\ClaudeCode\managed-settings.json`)
}

func hookFile(path string, of setup.Origin) setup.HookFile {
	return setup.HookFile{Path: path, Format: setup.JSON, Shape: setup.Grouped, Origin: of}
}

// managedFiles returns the administrator's settings file and those in the folder next to it, which are read after it in the
// order of their names (2.1.197 and 2.1.330).
func managedFiles(env setup.Env) []setup.HookFile {
	base := managed(env)
	all := []setup.HookFile{hookFile(base, setup.OfManaged)}
	folder := filepath.Join(filepath.Dir(base), "managed-settings.d")
	for _, name := range env.Names(folder) {
		if filepath.Ext(name) == ".json" && name[0] != '.' {
			all = append(all, hookFile(filepath.Join(folder, name), setup.OfManaged))
		}
	}
	return all
}

func reads(env setup.Env, scope setup.Scope) []setup.HookFile {
	if scope == setup.Project {
		dir := filepath.Join(env.Cwd, ".claude")
		return []setup.HookFile{
			hookFile(filepath.Join(dir, "settings.json"), setup.OfProject), hookFile(filepath.Join(dir, "settings.local.json"), setup.OfLocal),
		}
	}
	return []setup.HookFile{hookFile(filepath.Join(locate(env).ConfigHome, "settings.json"), setup.OfUser)}
}

// above returns the file that 2.1.329 reads in addition to those of the current folder, in folders below it and in
// linked working trees. 2.1.197 does not read it.
func above(env setup.Env) []setup.HookFile {
	root := mainRoot(env)
	if root == env.Cwd {
		return nil
	}
	return []setup.HookFile{hookFile(filepath.Join(root, ".claude", "settings.local.json"), setup.OfLocal)}
}

// variables returns what settings files set for hooks. The last file that sets one wins.
func variables(env setup.Env) (values, from map[string]string) {
	values, from = map[string]string{}, map[string]string{}
	files, _ := layers(env)
	for _, l := range files {
		for name, value := range setup.Variables(l.settings["env"]) {
			values[name], from[name] = value, l.Path
		}
	}
	return values, from
}

func matches(matcher string, ev harnesses.Event) bool { return matchesName(matcher, ev.Name) }

func matchesName(matcher, name string) bool {
	return setup.MatchesName(matcher, name, harnesses.WordOrHyphen, "|, ")
}

// gitBash returns the path of bash as Claude Code looks for it on Windows: where a variable says, in the folders in which Git
// for Windows is usually installed, and next to git (2.1.224, anthropics/claude-code issue 84822). The PATH does not help: Git's
// installer puts only git on it, and Windows has a bash.exe that starts Linux.
func gitBash(env setup.Env) (path string, ok bool) {
	if env.GOOS != "windows" {
		return "", false
	}
	places := []string{
		env.Getenv("CLAUDE_CODE_GIT_BASH_PATH"),
		`C:\Program Files\Git\bin\bash.exe`, `C:\Program Files (x86)\Git\bin\bash.exe`,
	}
	if env.LookPath != nil {
		if git, err := env.LookPath("git"); err == nil {
			places = append(places, filepath.Join(filepath.Dir(filepath.Dir(git)), "bin", "bash.exe"))
		}
	}
	for _, path := range places {
		if path != "" && env.Exists(path) && !env.IsDir(path) {
			return path, true
		}
	}
	return "", false
}
