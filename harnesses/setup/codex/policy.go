package codex

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"wsi/harnesses/setup"
	"wsi/internal/lists"
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
	return append(gates(env, user, file), waiting...), err
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
			n, which := len(events[kind]), " ("+strings.Join(events[kind], ", ")+")"
			if n == len(records) {
				which = ""
			}
			text := fmt.Sprintf("%d of %d hooks are %s%s: Codex skips them silently", n, len(records), kind, which)
			if n == 1 {
				text = fmt.Sprintf("1 of %d hooks is %s%s: Codex skips it silently", len(records), kind, which)
			}
			if n > 0 {
				all = append(all, text)
			}
		}
		return all
	}
	if why := some(unknown, modified); why != nil {
		all = append(all, setup.Reason{Why: strings.Join(why, "; "), Fix: trustAll, Flag: flag})
	}
	if why := some(off); why != nil {
		all = append(all, setup.Reason{Why: why[0], Fix: "remove enabled = false from [hooks.state] in " + userConfig(env), Off: true})
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

// projects returns a configuration with the merged [projects]. A project's own file does not count.
func projects(env setup.Env) map[string]any {
	all := map[string]any{}
	for _, path := range []string{managedConfig(env), userConfig(env), legacyConfig(env)} {
		config, _ := decode(env, path) // Codex does not start with it, which is reported elsewhere
		all = merged(all, setup.Table(config, "projects"))
	}
	return map[string]any{"projects": all}
}

// gates returns why Codex would run none of the hooks of a file: the user's own switch, and what keeps it from reading a project's.
// The administrator's files have switches, too: Codex says that in its list of hooks.
func gates(env setup.Env, user map[string]any, file setup.HookFile) (all []setup.Reason) {
	if name := switchIn(user); name != "" && setup.At(user, "features", name) == false && !overridden(env) {
		path := userConfig(env)
		all = append(all, setup.Reason{
			Why: name + " = false under [features] in " + path + " switches all hooks off", Fix: "remove that line from " + path, Off: true,
		})
	}
	switch file.Origin {
	case setup.OfManaged:
	case setup.OfPlugin:
		if setup.At(user, "plugins", file.Owner, "enabled") == false {
			why := "enabled = false under [plugins." + strconv.Quote(file.Owner) + "] in " + userConfig(env) + " switches the plugin off"
			all = append(all, setup.Reason{Why: why, Fix: "remove that line from " + userConfig(env), Off: true})
		}
	default:
		all = append(all, projectGates(env, file)...)
	}
	return all
}

// switchIn returns the name of the switch for hooks that a file has, "" if it has none. The second one is its old name.
func switchIn(config map[string]any) (name string) {
	name, _ = lists.Find([]string{"hooks", "codex_hooks"}, func(name string) bool { return setup.At(config, "features", name) != nil })
	return name
}

// overridden reports whether another file that may count instead of the user's switches hooks on: one of the administrator, or one of
// the project, if the user trusts it.
func overridden(env setup.Env) bool {
	projects := lists.Map(layers(env), func(dir string) string { return filepath.Join(dir, "config.toml") })
	files := append(projects, requirements(env), legacyConfig(env))
	return slices.ContainsFunc(files, func(file string) bool {
		config, _ := decode(env, file) // Codex does not read all of them
		name := switchIn(config)
		return name != "" && setup.At(config, "features", name) != false
	})
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
				Why:     "in a linked worktree, these hooks need the folder " + here,
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

// skips adds to the hooks of a file why Codex does not run them. What it ignores, and the form that was approved, Codex itself says:
// see [ask].
func skips(env setup.Env, file setup.HookFile, content []byte, hooks []setup.Hook) []setup.Reason {
	user, refused := decode(env, userConfig(env))
	for i := range hooks {
		if hooks[i].Skip(gates(env, user, file)...); refused != nil && file.Path != userConfig(env) { // that one, validate judges
			hooks[i].Skip(setup.Reason{Why: refused.Error(), Fix: "correct " + userConfig(env)})
		}
	}
	source, err := canonical(env, file.Path)
	if err != nil || refused != nil || file.Origin == setup.OfManaged || file.Unsure != "" {
		return nil // told by validate, not known, or not a matter of the user's approval
	}
	known, said := Harness().Answer(env, file, content)
	state := setup.Table(user, "hooks", "state")
	for i, h := range hooks {
		if hash := said.Hashes[place(h)]; !known || hash != "" { // else Codex does not list it
			judge(env, &hooks[i], approvalOf(state, key(source, h), hash))
		}
	}
	return nil
}

// judge adds why Codex does not run a hook of which its user has said this.
func judge(env setup.Env, to *setup.Hook, said approval) {
	if said.off {
		to.Skip(setup.Reason{
			Why: "it is switched off by enabled = false in [hooks.state] in " + userConfig(env), Fix: "open codex, type /hooks and switch it on", Off: true,
		})
	}
	switch {
	case !said.seen:
		to.Skip(setup.Reason{Why: "the hook is not approved, so Codex skips it silently", Fix: trustAll, Approval: true})
	case said.changed:
		to.Skip(setup.Reason{Why: "the hook has changed since it was approved, so Codex skips it silently", Fix: trustAll, Approval: true})
	}
}
