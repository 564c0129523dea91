package copilotcli

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"wsi/harnesses"
	"wsi/harnesses/setup"
)

// rules of 1.0.102. Both spellings of an event run.
func rules() setup.HookRules {
	return setup.HookRules{Name: "Copilot CLI", AnyCase: true, Others: []string{"UserPromptSubmit", "Stop"}, Events: []string{
		"sessionStart", "sessionEnd", "userPromptSubmitted", "preToolUse", "postToolUse", "postToolUseFailure", "preMcpToolCall",
		"permissionRequest", "agentStop", "subagentStart", "subagentStop", "errorOccurred", "preCompact", "notification",
	}}
}

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
			if depth > 0 && env.IsDir(path) {
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
	rules().Judge(hooks, gates(env, file, content), func(h *setup.Hook) []setup.BlockedError {
		h.UseCommand(commandIn(env.GOOS)...)
		return []setup.BlockedError{malformed(env, h), unmatched(h)}
	})
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
	if ok, err := trusted(env); !ok && err == nil { // headless as well (1.0.102)
		all = append(all, setup.BlockedError{
			Why: "Copilot CLI runs a project's hooks only in trusted folders, and skips them silently elsewhere",
			Fix: "run copilot in " + env.Cwd + ", and trust the folder", Approval: true,
		})
	}
	return all
}

// localhost is the variable that lets hooks of type http use addresses of this machine without TLS.
const localhost = "COPILOT_HOOK_ALLOW_LOCALHOST"

// malformed returns why Copilot CLI discards an entry, the next ones not.
func malformed(env setup.Env, h *setup.Hook) (why setup.BlockedError) {
	switch kind := h.Kind; { // command without a type
	case kind == "command" && h.Command == "":
		return setup.BlockedError{Why: "the entry has no command for this system", Fix: "add bash, or on Windows powershell, or command"}
	case kind == "http" && !strings.HasPrefix(h.Command, "https://") && env.Getenv(localhost) == "":
		return setup.BlockedError{Why: "Copilot CLI makes requests only to addresses that begin with https://", Fix: "use such an address, or for this machine set " + localhost + "=1"}
	case !slices.Contains([]string{"command", "http", "prompt"}, kind):
		return setup.BlockedError{Why: "unknown type " + setup.Shown(kind), Fix: `make it "command"`}
	}
	return why
}

func matches(matcher string, ev harnesses.Event) bool {
	return matcher == "" || matcher == "*" || setup.MatchesPattern(whole(matcher), ev.Name)
}

func whole(matcher string) string { return "^(?:" + matcher + ")$" }

func unmatched(h *setup.Hook) (why setup.BlockedError) {
	if _, err := setup.Expression(whole(h.Matcher)); err == nil || h.Matcher == "*" || setup.OnlyJavaScript(h.Matcher) {
		return why
	}
	return setup.BlockedError{Why: "its matcher is not a regular expression", Fix: "correct the matcher"}
}

// commandIn returns the members with a command: a system's own comes first.
func commandIn(goos string) []string {
	if goos == "windows" {
		return []string{"powershell", "command"}
	}
	return []string{"bash", "command"}
}
