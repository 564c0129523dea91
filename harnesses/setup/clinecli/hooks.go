package clinecli

import (
	"path/filepath"
	"slices"
	"strings"

	"wsi/harnesses/setup"
)

// events and extensions of the files that 3.0.65 runs (read, and tried with these events: PreToolUse, PostToolUse).
var (
	events     = []string{"PreToolUse", "PostToolUse", "UserPromptSubmit", "TaskStart", "TaskResume", "TaskCancel", "TaskComplete", "TaskError", "PreCompact", "SessionShutdown"}
	extensions = []string{"", ".sh", ".bash", ".zsh", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".py", ".ps1"}
)

const order = "Cline CLI runs the files of an event one after the other, in the order of their names."

// scripts returns the files that Cline CLI runs because of their names.
func scripts(env setup.Env) (all []setup.Hook) {
	home := plain().Locate(env).ConfigHome
	for _, folder := range []struct {
		path   string
		origin setup.Origin
	}{
		{filepath.Join(home, "hooks"), setup.OfUser},
		{filepath.Join(env.Home, "Documents", "Cline", "Hooks"), setup.OfUser},
		{filepath.Join(env.Cwd, ".cline", "hooks"), setup.OfProject},
		{filepath.Join(env.Cwd, ".clinerules", "hooks"), setup.OfProject},
	} {
		for _, name := range env.Names(folder.path) {
			event := strings.TrimSuffix(name, filepath.Ext(name))
			path := filepath.Join(folder.path, name)
			if isDir, err := env.Stat(path); err == nil && isDir {
				continue
			}
			h := setup.Hook{File: path, Origin: folder.origin, Event: event, Kind: setup.Script, Command: path}
			switch {
			case !slices.ContainsFunc(events, func(known string) bool { return strings.EqualFold(known, event) }):
				if !strings.Contains(event, "Use") && !strings.HasPrefix(event, "Task") {
					continue // another file, such as a README or a library
				}
				h.Skip(setup.BlockedError{Why: "Cline CLI knows no event " + setup.Shown(event), Fix: "name the file after one of " + strings.Join(events, ", ")})
			case !slices.Contains(extensions, filepath.Ext(name)):
				h.Skip(setup.BlockedError{Why: "Cline CLI does not run files that end in " + filepath.Ext(name), Fix: "give it an extension such as .sh, or none"})
			}
			all = append(all, h)
		}
	}
	return all
}
