package claudecode

import (
	"path/filepath"

	"wsi/harnesses"
	"wsi/harnesses/setup"
)

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

func matches(matcher string, ev harnesses.Event) bool {
	return setup.MatchesName(matcher, ev.Name, harnesses.WordOrHyphen, "|, ")
}
