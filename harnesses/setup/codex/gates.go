package codex

import (
	"cmp"
	"path/filepath"
	"strings"

	"wsi/harnesses/setup"
)

func userConfig(env setup.Env) string {
	return filepath.Join(locate(env).ConfigHome, "config.toml")
}

// configFile is a file of Codex's configuration. config is nil if it cannot be read.
type configFile struct {
	path   string
	config map[string]any
	err    error
}

// configuration returns the files that Codex merges, each overridden by later ones: the administrator's, the user's, those
// of the project's folders that are trusted, and another one of the administrator's (hooks/list of 0.169.0).
func configuration(env setup.Env) []configFile {
	paths := []string{managedConfig(env), userConfig(env)}
	trust := projects(env)
	for _, dir := range layers(env) {
		if trustedProject(env, trust, filepath.Dir(dir)) {
			paths = append(paths, filepath.Join(dir, "config.toml"))
		}
	}
	var all []configFile
	for _, path := range append(paths, legacyConfig(env)) {
		config, err := decode(env, path)
		all = append(all, configFile{path, config, err})
	}
	return all
}

// projects returns a configuration with the merged [projects]. A project's own file does not count.
func projects(env setup.Env) map[string]any {
	all := map[string]any{}
	for _, path := range []string{managedConfig(env), userConfig(env), legacyConfig(env)} {
		config, _ := decode(env, path) // Codex does not start with it, which is reported elsewhere
		all = merged(all, setup.Table(config, "projects"))
	}
	return map[string]any{"projects": all}
}

// setting returns the value of a setting in a table, and the file that decides it.
func setting(files []configFile, in, name string) (value any, path string) {
	for _, f := range files {
		if v, there := setup.Table(f.config, in)[name]; there {
			value, path = v, f.path
		}
	}
	return value, path
}

// feature reports whether a feature is off, and which line of which file decides that. The administrator's requirements
// come first, and a name comes before its old one, whichever file it is in.
func feature(env setup.Env, files []configFile, names ...string) (off bool, line, path string) {
	required, _ := decode(env, requirements(env))
	for _, in := range [][]configFile{{{path: requirements(env), config: required}}, files} {
		for _, name := range names {
			if value, path := setting(in, "features", name); path != "" {
				return value == false, name + " = false under [features]", path
			}
		}
	}
	return false, "", ""
}

// gates returns why Codex would run none of the hooks of a file.
func gates(env setup.Env, files []configFile, file setup.HookFile) (all []setup.BlockedError) {
	if off, line, path := feature(env, files, "hooks", "codex_hooks"); off {
		for _, f := range files { // without it in the file that decides, that of the one before counts
			if f.path != path && setup.At(f.config, "features", "hooks") == false {
				all = append(all, switchedOff("hooks = false under [features]", f.path, "all hooks"))
			}
		}
		all = append(all, switchedOff(line, path, "all hooks"))
	}
	if file.Origin == setup.OfManaged {
		return all
	}
	required, _ := decode(env, requirements(env))
	if required["allow_managed_hooks_only"] == true {
		all = append(all, setup.BlockedError{
			Why: "allow_managed_hooks_only in " + requirements(env) + " switches off all but the administrator's hooks",
			Fix: "ask the administrator of this machine", Off: true,
		})
	}
	if file.Origin == setup.OfPlugin {
		return append(all, pluginGates(files, env, file.Owner)...)
	}
	return append(all, projectGates(env, file)...)
}

func switchedOff(line, path, what string) setup.BlockedError {
	return setup.BlockedError{Why: line + " in " + path + " switches " + what + " off", Fix: "remove that line from " + path, Off: true}
}

// projectGates returns why Codex would not read a hook file of a project.
func projectGates(env setup.Env, file setup.HookFile) (all []setup.BlockedError) {
	if filepath.Dir(file.Path) == locate(env).ConfigHome {
		return nil
	}
	dir, main := filepath.Dir(filepath.Dir(file.Path)), projectAt(env)
	if dir == env.Cwd && dir != main {
		return []setup.BlockedError{{
			Why: "in a linked worktree Codex runs the hooks of the main one instead, those in " + filepath.Join(main, ".codex"),
			Fix: "register it there",
		}}
	}
	if dir == main && dir != env.Cwd {
		dir = env.Cwd
		if here := filepath.Join(dir, ".codex"); !layer(env) {
			all = append(all, setup.BlockedError{
				Why: "Codex runs these hooks in a linked worktree only if there is a folder " + here,
				Fix: "mkdir " + setup.Quote(env.GOOS, here),
			})
		}
	}
	if !trustedProject(env, projects(env), dir) {
		all = append(all, setup.BlockedError{
			Why: "Codex does not trust the project " + dir + " and skips its hooks silently", Fix: "start codex there and trust the project",
		})
	}
	return all
}

// refused returns why Codex does not start, because of another file than this one.
func refused(env setup.Env, files []configFile, file setup.HookFile) (all []setup.BlockedError) {
	required, err := decode(env, requirements(env))
	for _, f := range append(files, configFile{requirements(env), required, err}) {
		bad := &setup.InvalidConfigError{}
		switch {
		case f.path == file.Path:
			continue // told by validate
		case f.err != nil:
			bad.Why = strings.TrimPrefix(f.err.Error(), f.path+": ")
		default:
			bad = inRoot(f.config, setup.TOML)
		}
		if bad != nil {
			bad.Effect = "codex does not start with " + f.path
			all = append(all, setup.BlockedError{Why: bad.Error(), Fix: cmp.Or(bad.Fix, "correct "+f.path)})
		}
	}
	return all
}
