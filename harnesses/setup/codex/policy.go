package codex

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"wsi/harnesses/setup"
)

const trustAll = `open codex, type /hooks, choose "Trust all"`

// Files of the machine's administrator. Codex merges managedConfig below the user's config.toml and legacyConfig above it,
// and requirements overrides all (0.169.0 on Linux; the folder on Windows is from its documentation).
func requirements(env setup.Env) string  { return machine(env, "requirements.toml") }
func managedConfig(env setup.Env) string { return machine(env, "config.toml") }

// legacyConfig is on Windows in the folder of the user's config.toml.
func legacyConfig(env setup.Env) string {
	const name = "managed_config.toml"
	if env.GOOS == "windows" {
		return filepath.Join(locate(env).ConfigHome, name)
	}
	return machine(env, name)
}

func machine(env setup.Env, name string) string {
	return env.ByOS("/etc/codex/", "/etc/codex/", `C:\ProgramData\OpenAI\Codex\`) + name
}

func managed(env setup.Env) (files []setup.HookFile) {
	for _, path := range []string{requirements(env), machine(env, "hooks.json"), managedConfig(env), legacyConfig(env)} {
		format := setup.TOML
		if filepath.Ext(path) == ".json" {
			format = setup.JSON
		}
		files = append(files, setup.HookFile{Path: path, Format: format, Shape: setup.Grouped, Origin: setup.OfManaged})
	}
	return files
}

// reads returns both files of a layer: Codex runs the hooks of both.
func reads(env setup.Env, scope setup.Scope) []setup.HookFile {
	dir := folder(env, scope)
	return []setup.HookFile{
		{Path: filepath.Join(dir, "hooks.json"), Format: setup.JSON, Shape: setup.Grouped},
		{Path: filepath.Join(dir, "config.toml"), Format: setup.TOML, Shape: setup.Grouped},
	}
}

// projectAt returns the same folder in the main working tree: in a linked working tree Codex runs the hooks there, not
// its own, and only if the linked one has a folder .codex, which may be empty (hooks/list of 0.169.0). With a
// bare repository, there is no main one.
func projectAt(env setup.Env) string {
	r, ok := env.Repository()
	rest, err := filepath.Rel(r.Root, env.Cwd)
	if !ok || r.Main == "" || err != nil {
		return env.Cwd
	}
	return filepath.Join(r.Main, rest)
}

// above returns the hook files of the folders between the root of the repository and the current one.
func above(env setup.Env) []setup.HookFile {
	var files []setup.HookFile
	for _, dir := range env.Above() {
		up := env
		up.Cwd = dir
		if layer(up) {
			up.Cwd = projectAt(up)
			files = append(files, reads(up, setup.Project)...)
		}
	}
	return files
}

// layer reports whether Codex looks for a project's hooks in the current folder, or in that of the main working tree.
func layer(env setup.Env) bool {
	return env.IsDir(filepath.Join(env.Cwd, ".codex"))
}

// policy returns why Codex silently skips a hook of wsi: a gate, or that the user has not approved it in its present form.
func policy(env setup.Env, file setup.HookFile, content []byte) ([]setup.Reason, error) {
	user, err := decode(env, userConfig(env))
	if err != nil {
		return nil, err
	}
	waiting, err := unapproved(env, user, file, content)
	return append(gates(env, configuration(env), file), waiting...), err
}

// trustedProject reports whether [projects] trusts a folder. The first entry counts: for the folder, for the root of
// its working tree, for that of the main one, each as the kernel names it. Folders between or above them do not
// count (hooks/list and mcp list of 0.169.0).
func trustedProject(env setup.Env, config map[string]any, dir string) bool {
	env.Cwd = dir
	places := []string{dir}
	if r, ok := env.Repository(); ok {
		places = append(places, r.Root, cmp.Or(r.Main, r.Root))
	}
	for _, place := range places {
		if level, ok := setup.At(config, "projects", env.Resolved(place), "trust_level").(string); ok {
			return level == "trusted"
		}
	}
	return false
}

func unapproved(env setup.Env, config map[string]any, file setup.HookFile, content []byte) (all []setup.Reason, err error) {
	records, err := trustRecords(env, file, content)
	if err != nil {
		return nil, err
	}
	const unknown, modified, off = "new", "changed since the last review", "switched off in [hooks.state]"
	events, flag := map[string][]string{}, "--trust-codex-hooks"
	for _, r := range records {
		said := approvalOf(setup.Table(config, "hooks", "state"), r.Table[2], r.Value)
		if r.Value == "" {
			flag = "" // wsi does not know what to record
		}
		switch {
		case said.off:
			events[off] = append(events[off], eventOf(r))
		case !said.seen:
			events[unknown] = append(events[unknown], eventOf(r))
		case said.changed:
			events[modified] = append(events[modified], eventOf(r))
		case said.unknown:
			err = setup.ErrNotAsked
		}
	}
	some := func(kinds ...string) (all []string) {
		for _, kind := range kinds {
			switch n := len(events[kind]); n {
			case 0:
			case len(records):
				all = append(all, fmt.Sprintf("%d of %d hooks are %s", n, n, kind))
			default:
				all = append(all, fmt.Sprintf("%d of %d hooks are %s (%s)", n, len(records), kind, strings.Join(events[kind], ", ")))
			}
		}
		return all
	}
	const silently = ": Codex skips them silently"
	if why := some(unknown, modified); why != nil {
		all = append(all, setup.Reason{Why: strings.Join(why, ", ") + silently, Fix: trustAll, Flag: flag})
	}
	if why := some(off); why != nil {
		all = append(all, setup.Reason{Why: why[0] + silently, Fix: "remove enabled = false from [hooks.state] in " + userConfig(env), Off: true})
	}
	return all, err
}

// eventOf returns the event in a record's key, <file>:<event>:<group>:<handler>.
func eventOf(r setup.TrustRecord) string {
	parts := strings.Split(r.Table[len(r.Table)-1], ":")
	return parts[max(0, len(parts)-3)]
}

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
		if filepath.Base(filepath.Dir(path)) == ".codex" && path != userConfig(env) {
			maps.DeleteFunc(config, func(name string, _ any) bool { // settings that Codex ignores in a project's file (0.169.0)
				return strings.HasPrefix(name, "profile") || strings.HasPrefix(name, "model_provider") || name == "notify"
			})
		}
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

// gates returns why Codex would run none of the hooks of a file: a switch in the last file that has it, and the administrator's
// requirements come last (hooks/list of 0.169.0).
func gates(env setup.Env, files []configFile, file setup.HookFile) (all []setup.Reason) {
	required, _ := decode(env, requirements(env))
	var off []setup.Reason
	for said, names := false, []string{"hooks", "codex_hooks"}; !said && len(names) > 0; names = names[1:] { // the latter is its old name
		for _, f := range append(slices.Clip(files), configFile{path: requirements(env), config: required}) {
			if value, there := setup.Table(f.config, "features")[names[0]]; there {
				said = true
				if off = append(off, switchedOff(names[0]+" = false under [features]", f.path, "all hooks")); value != false {
					off = nil // an earlier file does not count
				}
			}
		}
	}
	if all = append(all, off...); file.Origin == setup.OfManaged {
		return all
	}
	if required["allow_managed_hooks_only"] == true {
		all = append(all, setup.Reason{
			Why: "allow_managed_hooks_only in " + requirements(env) + " switches off all but the administrator's hooks",
			Fix: "ask the administrator of this machine", Off: true,
		})
	}
	if file.Origin != setup.OfPlugin {
		return append(all, projectGates(env, file)...)
	}
	for _, f := range files {
		if setup.At(f.config, "plugins", file.Owner, "enabled") == false && f.path == userConfig(env) {
			all = append(all, switchedOff("enabled = false under [plugins."+strconv.Quote(file.Owner)+"]", f.path, "the plugin"))
		}
	}
	return all
}

func switchedOff(line, path, what string) setup.Reason {
	return setup.Reason{Why: line + " in " + path + " switches " + what + " off", Fix: "remove that line from " + path, Off: true}
}

// projectGates returns why Codex would not read a hook file of a project.
func projectGates(env setup.Env, file setup.HookFile) (all []setup.Reason) {
	if filepath.Dir(file.Path) == locate(env).ConfigHome {
		return nil
	}
	dir, main := filepath.Dir(filepath.Dir(file.Path)), projectAt(env)
	if dir == env.Cwd && dir != main {
		return []setup.Reason{{
			Why: "this is a linked worktree: Codex runs the hooks of the main worktree, those in " + filepath.Join(main, ".codex"),
			Fix: "register it there",
		}}
	}
	if dir == main && dir != env.Cwd {
		dir = env.Cwd
		if here := filepath.Join(dir, ".codex"); !layer(env) {
			all = append(all, setup.Reason{
				Why:     "these hooks run in a linked worktree only if there is a folder " + here,
				Command: "mkdir " + setup.Quote(env.GOOS, here),
			})
		}
	}
	if !trustedProject(env, projects(env), dir) {
		all = append(all, setup.Reason{
			Why: "the project " + dir + " is not trusted", Fix: "start codex there and trust the project", Approval: true,
		})
	}
	return all
}

// refused returns why Codex does not start: another file than this one is no TOML.
func refused(env setup.Env, files []configFile, file setup.HookFile) (all []setup.Reason) {
	_, err := decode(env, requirements(env))
	for _, f := range append(files, configFile{path: requirements(env), err: err}) {
		if f.path != file.Path && f.err != nil { // this one, validate judges
			why := "Codex does not start with " + f.path + ": " + strings.TrimPrefix(f.err.Error(), f.path+": ")
			if bad, ok := errors.AsType[setup.InvalidConfigError](f.err); ok {
				why = "Codex does not start with " + f.path + ": " + bad.Why
			}
			all = append(all, setup.Reason{Why: why, Fix: "correct " + f.path})
		}
	}
	return all
}
