package copilotcli

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"wsi/harnesses"
	"wsi/harnesses/setup"
)

// events of 1.0.102. Both spellings run; under another name nothing does.
var events = []string{
	"sessionStart", "sessionEnd", "userPromptSubmitted", "preToolUse", "postToolUse", "postToolUseFailure", "preMcpToolCall",
	"permissionRequest", "agentStop", "subagentStart", "subagentStop", "errorOccurred", "preCompact", "notification",
}

// others are further names of events in files of other harnesses, which it runs.
var others = []string{"UserPromptSubmit", "Stop"}

// hookFiles returns the files with hooks: all in the folders of hooks and below, and settings. It reads the project's of
// Claude Code, not the user's (1.0.102).
func hookFiles(env setup.Env) []setup.HookFile {
	home := plain().Locate(env).ConfigHome
	file := func(origin setup.Origin, owner, path string) setup.HookFile {
		return setup.HookFile{Path: path, Format: setup.JSON, Shape: setup.Either, Origin: origin, Owner: owner}
	}
	var files []setup.HookFile
	var below func(dir string, origin setup.Origin, depth int)
	below = func(dir string, origin setup.Origin, depth int) {
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
	below(filepath.Join(home, "hooks"), setup.OfUser, deep)
	below(filepath.Join(env.Cwd, ".github", "hooks"), setup.OfProject, deep)
	const claude = "Claude Code"
	return append(files,
		file(setup.OfUser, "", filepath.Join(home, "settings.json")),
		file(setup.OfProject, "", filepath.Join(env.Cwd, ".github", "copilot", "settings.json")),
		file(setup.OfLocal, "", filepath.Join(env.Cwd, ".github", "copilot", "settings.local.json")),
		file(setup.OfImport, claude, filepath.Join(env.Cwd, ".claude", "settings.json")),
		file(setup.OfImport, claude, filepath.Join(env.Cwd, ".claude", "settings.local.json")),
	)
}

// skips judges hooks by what 1.0.102 does.
func skips(env setup.Env, file setup.HookFile, content []byte, hooks []setup.Hook) {
	gates := gates(env, file, content)
	for i := range hooks {
		h := &hooks[i]
		if h.Kind == "command" {
			h.Command = commandOf(env.GOOS, h.Fields)
		}
		for _, why := range []setup.BlockedError{unknownEvent(h), malformed(env, h), unmatched(h)} {
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
func gates(env setup.Env, file setup.HookFile, content []byte) (all []setup.BlockedError) {
	var said struct {
		Version any  `json:"version"`
		Off     bool `json:"disableAllHooks"`
	}
	_ = json.Unmarshal(content, &said)                                        // another value says nothing
	if said.Off && strings.Contains(filepath.ToSlash(file.Path), "/hooks/") { // in settings it has no effect
		all = append(all, setup.BlockedError{Why: "disableAllHooks in the same file switches its hooks off", Fix: "remove disableAllHooks from " + file.Path, Off: true})
	}
	if said.Version != nil && said.Version != 1.0 {
		all = append(all, setup.BlockedError{Why: "Copilot CLI ignores the whole file: version is not 1", Fix: `make it "version": 1`})
	}
	if file.Origin == setup.OfUser {
		return all
	}
	return append(all, setup.AllBlocked(untrusted(env))...)
}

func unknownEvent(h *setup.Hook) (why setup.BlockedError) {
	if slices.ContainsFunc(append(others, events...), func(event string) bool { return strings.EqualFold(event, h.Event) }) {
		return why
	}
	return setup.BlockedError{Why: "Copilot CLI knows no event " + setup.Shown(h.Event), Fix: "make it one of " + strings.Join(events, ", ")}
}

// localhost is the variable that lets hooks of type http use addresses of this machine without TLS.
const localhost = "COPILOT_HOOK_ALLOW_LOCALHOST"

// malformed returns why Copilot CLI discards an entry, the next ones not.
func malformed(env setup.Env, h *setup.Hook) (why setup.BlockedError) {
	kind, _ := h.Fields["type"].(string)
	switch {
	case kind == "":
		return setup.BlockedError{Why: "the entry has no type", Fix: `add "type": "command"`}
	case kind == "command" && h.Command == "":
		return setup.BlockedError{Why: "the entry has no command for this system", Fix: "add bash, or on Windows powershell, or command"}
	case kind == "http" && !strings.HasPrefix(h.Command, "https://") && env.Getenv(localhost) == "":
		return setup.BlockedError{Why: "Copilot CLI makes requests only to addresses that begin with https://", Fix: "use such an address, or for this machine set " + localhost + "=1"}
	case !slices.Contains([]string{"command", "http", "prompt"}, kind):
		return setup.BlockedError{Why: "unknown type " + setup.Shown(kind), Fix: `make it "command"`}
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
	return setup.Expression("^(?:" + matcher + ")$")
}

// unmatched returns why a matcher matches no tool.
func unmatched(h *setup.Hook) (why setup.BlockedError) {
	if _, err := pattern(h.Matcher); err == nil || strings.Contains(h.Matcher, "(?") {
		return why
	}
	return setup.BlockedError{Why: "its matcher is not a regular expression", Fix: "correct the matcher"}
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
