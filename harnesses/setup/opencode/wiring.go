package opencode

import (
	"path/filepath"

	"wsi/harnesses"
	"wsi/harnesses/opencode"
	"wsi/harnesses/setup"
	"wsi/templates"
)

// wiring returns one file, the plugin: OpenCode loads every file in its folder of plugins.
func wiring(env setup.Env, scope setup.Scope, p setup.Program) (setup.Wiring, error) {
	if err := p.Check(env.GOOS); err != nil {
		return setup.Wiring{}, err
	}
	dir := locate(env).ConfigHome
	if scope == setup.Project {
		dir = filepath.Join(env.Cwd, ".opencode")
	}
	path, also := place(env, dir)
	return setup.Wiring{Owned: []setup.OwnedFile{{
		Path: path, Also: []string{also}, Elsewhere: elsewhere(env, scope, dir),
		Content: templates.OpenCode(p), Ours: templates.Untouched,
		Version: templates.PluginVersion, Marked: templates.Marked, Commands: commands(env.GOOS),
	}}}, nil
}

// elsewhere returns the plugin's places in other folders that OpenCode reads: in the user's scope the user's own folder and
// the two additional ones, in a project the folders up to the root of the repository.
func elsewhere(env setup.Env, scope setup.Scope, dir string) []string {
	dirs := []string{own(env), filepath.Join(env.Home, ".opencode")}
	if scope == setup.Project {
		dirs = nil
		for _, up := range above(env) {
			if up != env.Home { // the user's
				dirs = append(dirs, filepath.Join(up, ".opencode"))
			}
		}
	}
	var paths []string
	for _, other := range dirs {
		if other != dir {
			paths = append(paths, filepath.Join(other, "plugin", "wsi.js"), filepath.Join(other, "plugins", "wsi.js"))
		}
	}
	return paths
}

// place returns the plugin's path, and the one that must stay empty. OpenCode loads both plugin/ and plugins/, so two files
// would be two plugins. An existing plugin stays where it is, and an existing folder is used.
func place(env setup.Env, dir string) (path, also string) {
	singular, plural := filepath.Join(dir, "plugin", "wsi.js"), filepath.Join(dir, "plugins", "wsi.js")
	if !env.Exists(singular) && (env.Exists(plural) || env.Exists(filepath.Dir(plural)) && !env.Exists(filepath.Dir(singular))) {
		return plural, singular
	}
	return singular, plural
}

// commands returns the command lines that a plugin runs.
func commands(goos string) func([]byte) []string {
	return func(content []byte) []string {
		p, ok := templates.Program(content)
		if !ok {
			return nil
		}
		lines := []string{p.Command(goos, harnesses.Inject, opencode.ID)}
		if kept := templates.Kept(content); len(kept) > 0 {
			return append(lines, p.OlderCapture(goos, opencode.ID, kept))
		}
		if p.Join { // the relay sees the results
			return lines
		}
		return append(lines, p.Command(goos, harnesses.Capture, opencode.ID))
	}
}
