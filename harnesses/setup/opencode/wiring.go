package opencode

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/jsonc"

	"wsi/harnesses"
	"wsi/harnesses/opencode"
	"wsi/harnesses/setup"
	"wsi/internal/jsonraw"
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

// OpenCode 1.18.33 loads plugins from two places: {plugin,plugins}/*.{js,ts} in every folder of its configuration, and the list
// "plugin" of every configuration file, which names files, folders and npm packages.

// module is a plugin as a file or a folder names it.
type module struct {
	spec  string // as in the list, or the path of the file
	file  string // the configuration file, or the plugin's own
	line  int
	scope setup.Scope
	path  string // the file or folder that is loaded, "" for an npm package
}

// modules returns one hook for each plugin. It has no event: what a plugin does is known only when it runs.
func modules(env setup.Env) (hooks []setup.Hook) {
	all := listed(env)
	var refused []setup.Reason
	_, err := find(env)
	if bad, ok := errors.AsType[setup.ConfigError](err); ok {
		refused = append(refused, setup.Reason{Why: bad.Path + ": " + bad.Err.Error(), Fix: "correct " + bad.Path})
	}
	for _, m := range all {
		one := setup.Hook{File: m.file, Line: m.line, Origin: setup.Origin(m.scope), Kind: setup.Module, Command: m.spec, Program: m.path, Unsure: setup.UnreadCode}
		if filepath.Base(m.path) == "wsi.js" {
			content, _ := env.ReadFile(m.path) // told by missing
			if templates.Untouched(content) {
				one.Unsure = ""
			}
		}
		one.Skip(slices.Concat(refused, notLoaded(env, m.scope == setup.Project))...)
		one.Skip(m.missing(env))
		hooks = append(hooks, one)
	}
	return hooks
}

// listed returns all plugins, those of the project too if OpenCode does not read them, in the order in which it loads them.
func listed(env setup.Env) (all []module) {
	folders := folders(env)
	for _, s := range sources(env, true) {
		content, _ := env.ReadIfThere(s.path) // told by refusedConfig
		all = append(all, inConfig(s, filepath.Dir(s.path), content)...)
		folders = slices.DeleteFunc(folders, func(f source) bool {
			last := f.path == filepath.Dir(s.path) && filepath.Base(s.path) == "opencode.jsonc"
			if last {
				all = append(all, inFolder(env, f)...)
			}
			return last
		})
	}
	for _, f := range folders {
		all = append(all, inFolder(env, f)...)
	}
	return append(all, inConfig(source{inline, setup.User}, env.Cwd, []byte(env.Getenv(inline)))...)
}

func inConfig(from source, dir string, content []byte) (all []module) {
	plain := jsonc.ToJSON(content)
	root, _ := jsonraw.Object(plain)
	list := root.Get("plugin")
	entries, _ := jsonraw.ArrayIn(list)
	at := bytes.Index(plain, list)
	for _, raw := range entries {
		spec, ok := jsonraw.Unquote(raw)
		if !ok {
			with, _ := jsonraw.ArrayIn(raw) // with options
			if len(with) == 0 {
				continue
			}
			spec, ok = jsonraw.Unquote(with[0])
		}
		if !ok {
			continue
		}
		at += bytes.Index(plain[at:], raw)
		m := module{spec: spec, file: from.path, line: 1 + bytes.Count(plain[:at], []byte("\n")), scope: from.scope}
		switch rest, isURL := strings.CutPrefix(spec, "file://"); {
		case isURL:
			m.path = filepath.FromSlash(rest)
		case filepath.IsAbs(spec):
			m.path = filepath.Clean(spec)
		case strings.HasPrefix(spec, "."):
			m.path = filepath.Join(dir, filepath.FromSlash(spec))
		}
		all = append(all, m)
	}
	return all
}

// inFolder returns the plugins in a folder of the configuration.
func inFolder(env setup.Env, dir source) (all []module) {
	for _, in := range []string{"plugin", "plugins"} {
		for _, name := range env.Names(filepath.Join(dir.path, in)) {
			file := filepath.Join(dir.path, in, name)
			if ext := filepath.Ext(name); (ext == ".js" || ext == ".ts") && env.Exists(file) && !env.IsDir(file) {
				all = append(all, module{spec: file, file: file, path: file, scope: dir.scope})
			}
		}
	}
	return all
}

func (m module) missing(env setup.Env) (why setup.Reason) {
	near := filepath.Join(filepath.Dir(m.file), filepath.FromSlash(m.spec))
	switch {
	case m.path == "" && env.Exists(near):
		return setup.Reason{Why: "OpenCode takes it for the name of a package, not for " + near, Fix: "write ./" + m.spec}
	case m.path != "" && !env.Exists(m.path):
		return setup.Reason{Why: m.path + " does not exist", Fix: "correct the path, or remove it from the list"}
	}
	return why
}
