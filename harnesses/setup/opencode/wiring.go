package opencode

import (
	"path/filepath"
	"slices"

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
	dir := env.Folder(scope, locate(env).ConfigHome, ".opencode")
	// OpenCode loads both plugin/ and plugins/, so two files would be two plugins. An existing plugin stays where it is, and an
	// existing folder is used.
	path, also := filepath.Join(dir, "plugin", "wsi.js"), filepath.Join(dir, "plugins", "wsi.js")
	if !env.Exists(path) && (env.Exists(also) || env.Exists(filepath.Dir(also)) && !env.Exists(filepath.Dir(path))) {
		path, also = also, path
	}
	return setup.Wiring{Owned: []setup.OwnedFile{{
		Path: path, Also: []string{also}, Elsewhere: elsewhere(env, scope, dir),
		Content: templates.OpenCode(p), Ours: templates.Untouched,
		Version: templates.PluginVersion, Marked: templates.Marked, Commands: commands(env.GOOS),
	}}}, nil
}

// elsewhere returns the plugin's places in other folders of a scope that OpenCode reads.
func elsewhere(env setup.Env, scope setup.Scope, dir string) (paths []string) {
	for _, other := range folders(env) {
		if other.scope == scope && other.path != dir {
			paths = append(paths, filepath.Join(other.path, "plugin", "wsi.js"), filepath.Join(other.path, "plugins", "wsi.js"))
		}
	}
	return paths
}

// commands returns the command lines that a plugin runs.
func commands(goos string) func([]byte) []string {
	return func(content []byte) []string {
		p, ok := templates.Program(content)
		if !ok {
			return nil
		}
		lines := []string{p.Command(goos, harnesses.Inject, opencode.ID)}
		if p.Relay { // the relay sees the results
			return lines
		}
		return append(lines, p.Command(goos, harnesses.Capture, opencode.ID))
	}
}

// Variables of OpenCode that switch plugins off.
const (
	pure           = "OPENCODE_PURE"
	disableProject = "OPENCODE_DISABLE_PROJECT_CONFIG"
)

// policy finds variables that stop OpenCode from loading wsi's plugin.
func policy(env setup.Env, file setup.HookFile, _ []byte) ([]setup.Reason, error) {
	return notLoaded(env, filepath.Dir(filepath.Dir(file.Path)) == filepath.Join(env.Cwd, ".opencode")), nil
}

// notLoaded returns why OpenCode loads no plugins, or none of a project. If the variables are set here, they are probably
// set where OpenCode is started.
func notLoaded(env setup.Env, project bool) (all []setup.Reason) {
	off := func(name string) {
		all = append(all, setup.Reason{Why: name + " is set, so OpenCode does not load the plugin", Fix: "start OpenCode without " + name, Off: true})
	}
	if slices.Contains([]string{"1", "true", "yes", "on", "y"}, env.Getenv(pure)) {
		off(pure)
	}
	if project && alone(env) {
		off(disableProject)
	}
	return all
}

// folders returns the folders of the configuration, whether they exist or not: the user's own and two additional ones, and those
// of a project up to the root of its repository.
func folders(env setup.Env) (all []source) {
	add := func(dir string, scope setup.Scope) {
		if !slices.ContainsFunc(all, func(f source) bool { return f.path == dir }) {
			all = append(all, source{dir, scope})
		}
	}
	for _, dir := range []string{own(env), filepath.Join(env.Home, ".opencode"), locate(env).ConfigHome} {
		add(dir, setup.User)
	}
	for _, dir := range append([]string{env.Cwd}, above(env)...) {
		add(filepath.Join(dir, ".opencode"), setup.Project)
	}
	return all
}
