package opencode

import (
	"bytes"
	"cmp"
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/jsonc"

	"wsi/harnesses"
	"wsi/internal/rawjson"
)

// OpenCode 1.18.33 loads plugins from two places: {plugin,plugins}/*.{js,ts} in every folder of its configuration, and the list
// "plugin" of every configuration file, which names files, folders and npm packages.

// module is a plugin as a file or a folder names it.
type module struct {
	spec    string // as in the list, or the path of the file
	file    string // the configuration file, or the plugin's own
	line    int
	scope   harnesses.Scope
	path    string // the file or folder that is loaded, "" for an npm package
	name    string // of the package, "" for a path
	ignored string // why OpenCode does not look at the file
}

// modules returns the hooks of all plugins: one for each event that is found in a plugin's text, or one without an event.
func modules(env harnesses.Env) (hooks []harnesses.Hook) {
	all := listed(env)
	refused := refusedConfig(env)
	for i, m := range all {
		one := harnesses.Hook{File: m.file, Line: m.line, Origin: harnesses.Origin(m.scope), Kind: harnesses.Module, Command: m.spec, Program: m.path}
		for _, why := range slices.Concat(refused, notLoaded(env, m.scope == harnesses.Project)) {
			one.Skip(why)
		}
		if m.ignored != "" {
			one.Skip(harnesses.BlockedError{Why: m.ignored, Fix: "move it, or remove it"})
		}
		if later := m.again(all[i+1:]); later != nil {
			one.Skip(harnesses.BlockedError{Why: "it is registered again in " + later.file + ", and OpenCode loads it once"})
		}
		events := m.inspect(env, &one)
		for _, event := range events {
			hook := one
			hook.Event, hook.Skipped = event, slices.Clone(one.Skipped)
			hooks = append(hooks, hook)
		}
	}
	return hooks
}

// again returns a later registration of the same plugin, nil if there is none. Packages are compared without their versions.
func (m module) again(later []module) *module {
	for i, o := range later {
		if o.ignored == "" && o.path == m.path && o.name == m.name {
			return &later[i]
		}
	}
	return nil
}

// listed returns all plugins, those of the project too if OpenCode does not read them, in the order in which it loads them.
func listed(env harnesses.Env) (all []module) {
	everything := env
	everything.Getenv = func(name string) string {
		if name == disableProject {
			return ""
		}
		return env.Getenv(name)
	}
	folders := pluginFolders(env)
	for _, s := range sources(everything) {
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
	return append(all, inConfig(source{inline, harnesses.User}, env.Cwd, []byte(env.Getenv(inline)))...)
}

// pluginFolders returns the folders with plugins.
func pluginFolders(env harnesses.Env) (all []source) {
	for _, dir := range folders(env) {
		scope := harnesses.User
		if filepath.Base(dir) == ".opencode" && filepath.Dir(dir) != env.Home {
			scope = harnesses.Project
		}
		if dir == locate(env).ConfigHome {
			scope = harnesses.User
		}
		all = append(all, source{dir, scope})
	}
	return all
}

// inConfig returns the plugins in the list of a configuration file.
func inConfig(from source, dir string, content []byte) (all []module) {
	plain := jsonc.ToJSON(content)
	root, _ := rawjson.Object(plain)
	list := root.Get("plugin")
	entries, _ := rawjson.ArrayIn(list)
	at := bytes.Index(plain, list)
	for _, raw := range entries {
		spec, ok := rawjson.Unquote(raw)
		if !ok {
			with, _ := rawjson.ArrayIn(raw) // with options
			if len(with) == 0 {
				continue
			}
			spec, ok = rawjson.Unquote(with[0])
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
		default:
			m.name = packageName(spec)
		}
		all = append(all, m)
	}
	return all
}

// packageName returns the name of an npm package without its version: @scope/name@1.2.
func packageName(spec string) string {
	if at := strings.LastIndexByte(spec, '@'); at > 0 {
		return spec[:at]
	}
	return spec
}

// inFolder returns the plugins in a folder of the configuration, and the files there that were probably meant as plugins.
func inFolder(env harnesses.Env, dir source) (all []module) {
	for _, in := range []string{"plugin", "plugins"} {
		for _, name := range env.Names(filepath.Join(dir.path, in)) {
			file := filepath.Join(dir.path, in, name)
			isDir, err := env.Stat(file)
			m := module{spec: file, file: file, path: file, scope: dir.scope}
			switch ext := path.Ext(name); {
			case err != nil, isDir && !isPlugin(env, file):
				continue
			case isDir:
				m.ignored = "OpenCode loads no folders in " + in
			case slices.Contains([]string{".mjs", ".cjs", ".mts", ".cts", ".jsx", ".tsx"}, ext):
				m.ignored = "OpenCode loads only files that end in .js or .ts"
			case ext != ".js" && ext != ".ts":
				continue
			}
			all = append(all, m)
		}
	}
	return all
}

// isPlugin reports whether a folder has the form of a plugin, other than that of the packages that plugins use.
func isPlugin(env harnesses.Env, dir string) bool {
	names := env.Names(dir)
	return filepath.Base(dir) != "node_modules" && slices.ContainsFunc(append([]string{"package.json"}, indexes...), func(n string) bool { return slices.Contains(names, n) })
}

// refusedConfig returns why OpenCode does not start.
func refusedConfig(env harnesses.Env) (all []harnesses.BlockedError) {
	_, err := find(env)
	var bad harnesses.ConfigError
	if errors.As(err, &bad) {
		all = append(all, harnesses.BlockedError{Why: bad.Path + ": " + bad.Err.Error(), Fix: "correct " + bad.Path})
	}
	return all
}

// inspect reads a plugin's file. It adds to the hook why OpenCode would not load it, and returns the events that it
// finds in its text, at least one empty name.
func (m module) inspect(env harnesses.Env, hook *harnesses.Hook) (events []string) {
	unknown := []string{""}
	if m.path == "" {
		if slices.ContainsFunc(obsolete, func(name string) bool { return strings.Contains(m.spec, name) }) {
			hook.Skip(harnesses.BlockedError{Why: "OpenCode has this plugin built in and ignores the package", Fix: "remove it from the list"})
		}
		if near := filepath.Join(filepath.Dir(m.file), filepath.FromSlash(m.spec)); exists(env, near) {
			hook.Skip(harnesses.BlockedError{Why: "OpenCode takes it for the name of a package, not for " + near, Fix: "write ./" + m.spec})
		}
		return unknown
	}
	isDir, err := env.Stat(m.path)
	if err != nil {
		hook.Skip(harnesses.BlockedError{Why: m.path + " does not exist", Fix: "correct the path, or remove it from the list"})
		return unknown
	}
	if isDir {
		if hook.Program = entryOf(env, m.path); hook.Program == "" {
			hook.Skip(harnesses.BlockedError{Why: m.path + " has neither a package.json nor an index file", Fix: "name the plugin's file"})
			return unknown
		}
	}
	content, err := env.ReadFile(hook.Program)
	if err != nil {
		if !isDir {
			hook.Skip(harnesses.BlockedError{Why: err.Error()})
		}
		return unknown // the entry of a package may be without its extension
	}
	found, problem := readModule(content)
	if problem != "" {
		hook.Skip(harnesses.BlockedError{Why: problem, Fix: "export only functions that return hooks"})
	}
	if len(found) == 0 {
		return unknown
	}
	return found
}

func exists(env harnesses.Env, path string) bool {
	_, err := env.Stat(path)
	return err == nil
}

// obsolete are packages that OpenCode ignores: it contains them.
var obsolete = []string{"opencode-openai-codex-auth", "opencode-copilot-auth"}

// indexes are the files that OpenCode looks for in a folder without a package.json.
var indexes = []string{"index.ts", "index.tsx", "index.js", "index.mjs", "index.cjs"}

// entryOf returns the file that OpenCode loads for a folder, "" if there is none.
func entryOf(env harnesses.Env, dir string) string {
	content, err := env.ReadFile(filepath.Join(dir, "package.json"))
	for _, name := range indexes {
		if _, e := env.Stat(filepath.Join(dir, name)); e == nil && err != nil {
			return filepath.Join(dir, name)
		}
	}
	if err != nil {
		return ""
	}
	root, _ := rawjson.Object(content)
	exports, _ := rawjson.ObjectIn(root.Get("exports"))
	server := exports.String("./server")
	if conditions, err := rawjson.ObjectIn(exports.Get("./server")); err == nil {
		server = cmp.Or(conditions.String("import"), conditions.String("default"))
	}
	if name := cmp.Or(server, root.String("main")); name != "" {
		return filepath.Join(dir, filepath.FromSlash(name))
	}
	for _, name := range indexes {
		if _, e := env.Stat(filepath.Join(dir, name)); e == nil {
			return filepath.Join(dir, name)
		}
	}
	return dir
}
