package copilotcli

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"wsi/harnesses"
)

// events of 1.0.102. Both spellings run; under another name nothing does.
var events = []string{
	"sessionStart", "sessionEnd", "userPromptSubmitted", "preToolUse", "postToolUse", "postToolUseFailure", "preMcpToolCall",
	"permissionRequest", "agentStop", "subagentStart", "subagentStop", "errorOccurred", "preCompact", "notification",
}

// others are further names of events in files of other harnesses, which it runs.
var others = []string{"UserPromptSubmit", "Stop"}

// tools are the names of Copilot CLI's own tools in events, and those that it gives them in events with a capital (the
// requests of 1.0.102, and its documentation of 2026-11).
var (
	tools = []string{
		"apply_patch", "ask_user", "bash", "create", "edit", "exit_plan_mode", "fetch_copilot_cli_documentation", "glob", "grep",
		"list_agents", "list_bash", "list_powershell", "powershell", "read_agent", "read_bash", "read_powershell", "report_intent",
		"rg", "session_store_sql", "show_file", "skill", "sql", "stop_bash", "stop_powershell", "store_memory", "str_replace_editor",
		"task", "update_todo", "view", "web_fetch", "web_search", "write_agent", "write_bash", "write_powershell",
	}
	capitalTools = []string{
		"Agent", "AskUserQuestion", "Bash", "Edit", "ExitPlanMode", "Glob", "Grep", "LS", "MultiEdit", "NotebookEdit", "PowerShell", "Read", "Skill",
		"Task", "TodoWrite", "WebFetch", "WebSearch", "Write",
	}
)

// hookFiles returns the files with hooks: all in the folders of hooks and below, and settings. It reads the project's of
// Claude Code, not the user's (1.0.102).
func hookFiles(env harnesses.Env) []harnesses.HookFile {
	home := plain().Locate(env).ConfigHome
	file := func(origin harnesses.Origin, owner, path string) harnesses.HookFile {
		return harnesses.HookFile{Path: path, Format: harnesses.JSON, Shape: harnesses.Either, Origin: origin, Owner: owner}
	}
	var files []harnesses.HookFile
	var below func(dir string, origin harnesses.Origin, depth int)
	below = func(dir string, origin harnesses.Origin, depth int) {
		for _, name := range env.Names(dir) {
			path := filepath.Join(dir, name)
			if isDir, err := env.Stat(path); err == nil && isDir && depth > 0 {
				below(path, origin, depth-1)
			} else if filepath.Ext(name) == ".json" {
				files = append(files, file(origin, "", path))
			}
		}
	}
	const deep = 5 // a link can lead back
	below(filepath.Join(home, "hooks"), harnesses.OfUser, deep)
	below(filepath.Join(env.Cwd, ".github", "hooks"), harnesses.OfProject, deep)
	const claude = "Claude Code"
	return append(files,
		file(harnesses.OfUser, "", filepath.Join(home, "settings.json")),
		file(harnesses.OfProject, "", filepath.Join(env.Cwd, ".github", "copilot", "settings.json")),
		file(harnesses.OfLocal, "", filepath.Join(env.Cwd, ".github", "copilot", "settings.local.json")),
		file(harnesses.OfImport, claude, filepath.Join(env.Cwd, ".claude", "settings.json")),
		file(harnesses.OfImport, claude, filepath.Join(env.Cwd, ".claude", "settings.local.json")),
	)
}

// skips judges hooks by what 1.0.102 does.
func skips(env harnesses.Env, file harnesses.HookFile, content []byte, hooks []harnesses.Hook) {
	gates := gates(env, file, content)
	for i := range hooks {
		h := &hooks[i]
		if h.Kind == "command" {
			h.Command = commandOf(env.GOOS, h.Fields)
		}
		for _, why := range []harnesses.BlockedError{unknownEvent(h), malformed(env, h), unmatched(h)} {
			if why.Why != "" {
				h.Skip(why)
			}
		}
		for _, gate := range gates {
			h.Skip(gate)
		}
	}
}

// gates returns why Copilot CLI runs none of a file's hooks.
func gates(env harnesses.Env, file harnesses.HookFile, content []byte) (all []harnesses.BlockedError) {
	var said struct {
		Version any  `json:"version"`
		Off     bool `json:"disableAllHooks"`
	}
	_ = json.Unmarshal(content, &said)                                        // another value says nothing
	if said.Off && strings.Contains(filepath.ToSlash(file.Path), "/hooks/") { // in settings it has no effect
		all = append(all, harnesses.BlockedError{Why: "disableAllHooks in the same file switches its hooks off", Fix: "remove disableAllHooks from " + file.Path, Off: true})
	}
	if said.Version != nil && said.Version != 1.0 {
		all = append(all, harnesses.BlockedError{Why: "Copilot CLI ignores the whole file: version is not 1", Fix: `make it "version": 1`})
	}
	if file.Origin == harnesses.OfUser {
		return all
	}
	return append(all, harnesses.AllBlocked(untrusted(env))...)
}

func unknownEvent(h *harnesses.Hook) (why harnesses.BlockedError) {
	if slices.ContainsFunc(append(others, events...), func(event string) bool { return strings.EqualFold(event, h.Event) }) {
		return why
	}
	return harnesses.BlockedError{Why: "Copilot CLI knows no event " + harnesses.Shown(h.Event), Fix: "make it one of " + strings.Join(events, ", ")}
}

// localhost is the variable that lets hooks of type http use addresses of this machine without TLS.
const localhost = "COPILOT_HOOK_ALLOW_LOCALHOST"

// malformed returns why Copilot CLI discards an entry, the next ones not.
func malformed(env harnesses.Env, h *harnesses.Hook) (why harnesses.BlockedError) {
	kind, _ := h.Fields["type"].(string)
	switch {
	case kind == "":
		return harnesses.BlockedError{Why: "the entry has no type", Fix: `add "type": "command"`}
	case kind == "command" && h.Command == "":
		return harnesses.BlockedError{Why: "the entry has no command for this system", Fix: "add bash, or on Windows powershell, or command"}
	case kind == "http" && !strings.HasPrefix(h.Command, "https://") && env.Getenv(localhost) == "":
		return harnesses.BlockedError{Why: "Copilot CLI makes requests only to addresses that begin with https://", Fix: "use such an address, or for this machine set " + localhost + "=1"}
	case !slices.Contains([]string{"command", "http", "prompt"}, kind):
		return harnesses.BlockedError{Why: "unknown type " + harnesses.Shown(kind), Fix: `make it "command"`}
	}
	return why
}

// matches reports whether a matcher matches the whole name of a tool. One that only JavaScript can compile counts as a match.
func matches(matcher string, ev harnesses.Event) bool {
	re, err := pattern(matcher)
	return err != nil && strings.Contains(matcher, "(?") || err == nil && re.MatchString(ev.Name)
}

func pattern(matcher string) (*regexp.Regexp, error) {
	if matcher == "" || matcher == "*" {
		matcher = ".*"
	}
	return regexp.Compile("^(?:" + matcher + ")$")
}

// unmatched returns why a matcher, which must match a tool's whole name, matches none.
func unmatched(h *harnesses.Hook) (why harnesses.BlockedError) {
	re, err := pattern(h.Matcher)
	switch {
	case h.Matcher == "" || h.Matcher == "*" || strings.Contains(h.Matcher, "(?"):
		return why
	case err != nil:
		return harnesses.BlockedError{Why: "its matcher is not a regular expression", Fix: "correct the matcher"}
	case !strings.Contains(strings.ToLower(h.Event), "tooluse") || harnesses.MayName(h.Matcher, "-"):
		return why
	}
	known, capital := tools, h.Event[:1] == strings.ToUpper(h.Event[:1])
	if capital {
		known = capitalTools
	}
	if slices.ContainsFunc(known, re.MatchString) {
		return why
	}
	return harnesses.BlockedError{
		Why: "its matcher matches the whole name of no known tool of Copilot CLI, and no tool of a server",
		Fix: "make it the name of a tool, such as " + known[2] + ", or a regular expression",
	}
}

// commandOf returns the command of an entry on a system: a system's own comes first.
func commandOf(goos string, fields map[string]any) string {
	own := "bash"
	if goos == "windows" {
		own = "powershell"
	}
	for _, name := range []string{own, "command"} {
		if line, ok := fields[name].(string); ok {
			return line
		}
	}
	return ""
}
