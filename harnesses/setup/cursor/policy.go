package cursor

import (
	"path/filepath"

	"wsi/harnesses"
	"wsi/harnesses/setup"
)

func reads(env setup.Env, scope setup.Scope) []setup.HookFile {
	return []setup.HookFile{{Path: filepath.Join(folder(env, scope), "hooks.json"), Format: setup.JSONC, Shape: setup.Flat}}
}

// managed returns the file of the machine's administrator (documentation of 2026-08-25).
func managed(env setup.Env) []setup.HookFile {
	path := env.ByOS("/etc/cursor/hooks.json", "/Library/Application Support/Cursor/hooks.json", `C:\ProgramData\Cursor\hooks.json`)
	return []setup.HookFile{{Path: path, Format: setup.JSONC, Shape: setup.Flat}}
}

// flaws are reported by others. The version of the command line tool is a date: before 2026.05.20, hooks may get the
// event in other ways than on standard input. The editor's error with changed arguments was fixed in 3.7.
var flaws = []setup.Flaw{
	{From: "2000.0", Before: "2026.05.20", Why: "does not always pass hooks their event on standard input", Fix: "update Cursor's command line tool"},
	{Before: "3.7", Why: "does not use the arguments that a hook changed for every tool", Fix: "update Cursor"},
}

// imports returns the files of Claude Code whose hooks Cursor runs, unless its settings switch that off (documentation
// of 2026-08-25).
func imports(env setup.Env) []setup.HookFile {
	project := filepath.Join(env.Cwd, ".claude")
	var files []setup.HookFile
	for _, path := range []string{
		filepath.Join(project, "settings.local.json"), filepath.Join(project, "settings.json"),
		filepath.Join(env.Home, ".claude", "settings.json"),
	} {
		files = append(files, setup.HookFile{Path: path, Format: setup.JSON, Shape: setup.Grouped})
	}
	return files
}

// matches tests the tool's name, unanchored.
func matches(matcher string, ev harnesses.Event) bool { return setup.MatchesPattern(matcher, ev.Name) }
