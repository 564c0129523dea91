package codex

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"wsi/harnesses"
)

const trustAll = `open codex, type /hooks, choose "Trust all"`

// Files of the machine's administrator.
const (
	requirements  = "/etc/codex/requirements.toml"
	managedConfig = "/etc/codex/config.toml"
)

func managed(_ harnesses.Env) []harnesses.HookFile {
	return []harnesses.HookFile{
		{Path: requirements, Format: harnesses.TOML, Shape: harnesses.Grouped},
		{Path: managedConfig, Format: harnesses.TOML, Shape: harnesses.Grouped},
	}
}

// reads returns both files of a layer: Codex runs the hooks of both.
func reads(env harnesses.Env, scope harnesses.Scope) []harnesses.HookFile {
	dir := folder(env, scope)
	return []harnesses.HookFile{
		{Path: filepath.Join(dir, "hooks.json"), Format: harnesses.JSON, Shape: harnesses.Grouped},
		{Path: filepath.Join(dir, "config.toml"), Format: harnesses.TOML, Shape: harnesses.Grouped},
	}
}

// projectAt returns the same folder in the main working tree: in a linked working tree Codex runs the hooks there, not
// its own, and only if the linked one has a folder .codex, which may be empty (hooks/list of 0.169.0). With a
// bare repository, there is no main one.
func projectAt(env harnesses.Env) string {
	r, ok := env.Repository()
	rest, err := filepath.Rel(r.Root, env.Cwd)
	if !ok || r.Main == "" || err != nil {
		return env.Cwd
	}
	return filepath.Join(r.Main, rest)
}

// above returns the hook files of the folders between the root of the repository and the current one.
func above(env harnesses.Env) []harnesses.HookFile {
	var files []harnesses.HookFile
	for _, dir := range env.Above() {
		up := env
		up.Cwd = dir
		if layer(up) {
			up.Cwd = projectAt(up)
			files = append(files, reads(up, harnesses.Project)...)
		}
	}
	return files
}

// layer reports whether Codex looks for a project's hooks in the current folder, or in that of the main working tree.
func layer(env harnesses.Env) bool {
	isDir, err := env.Stat(filepath.Join(env.Cwd, ".codex"))
	return err == nil && isDir
}

// policy returns why Codex silently skips a hook: a switch, the administrator, a project that is not trusted, or a
// hook that the user has not approved in its present form.
func policy(env harnesses.Env, file harnesses.HookFile, content []byte) error {
	home := filepath.Join(locate(env).ConfigHome, "config.toml")
	user, err := decode(env, home)
	if err != nil {
		return err
	}
	paths := []string{home}
	for _, dir := range layers(env) {
		paths = append(paths, filepath.Join(dir, "config.toml"))
	}
	var all error
	for _, path := range append(paths, requirements, managedConfig) {
		config, err := decode(env, path)
		if err != nil {
			continue // Codex does not start with it
		}
		features := table(config["features"])
		if features["hooks"] == false || features["codex_hooks"] == false {
			all = errors.Join(all, harnesses.BlockedError{Why: "hooks = false under [features] in " + path + " switches all hooks off", Fix: "remove that line from " + path, Off: true})
		}
		if path == requirements && config["allow_managed_hooks_only"] == true {
			all = errors.Join(all, harnesses.BlockedError{Why: "allow_managed_hooks_only in " + path + " switches off all but the administrator's hooks", Fix: "ask the administrator of this machine", Off: true})
		}
	}
	dir := filepath.Dir(filepath.Dir(file.Path))
	if dir == projectAt(env) && dir != env.Cwd {
		dir = env.Cwd
		if here := filepath.Join(dir, ".codex"); !layer(env) {
			all = errors.Join(all, harnesses.BlockedError{
				Why: "Codex runs these hooks in a linked worktree only if there is a folder " + here,
				Fix: "mkdir " + harnesses.Quote(env.GOOS, here),
			})
		}
	}
	if filepath.Dir(file.Path) != locate(env).ConfigHome && !trustedProject(env, user, dir) {
		all = errors.Join(all, harnesses.BlockedError{Why: "Codex does not trust the project " + dir + " and skips its hooks silently", Fix: "start codex there and trust the project"})
	}
	return errors.Join(all, approved(env, user, file, content))
}

// trustedProject reports whether [projects] trusts a folder. The first entry counts: for the folder, for the root of
// its working tree, for that of the main one, each as the kernel names it. Folders between or above them do not
// count (hooks/list and mcp list of 0.169.0).
func trustedProject(env harnesses.Env, config map[string]any, dir string) bool {
	env.Cwd = dir
	places := []string{dir}
	if r, ok := env.Repository(); ok {
		places = append(places, r.Root, cmp.Or(r.Main, r.Root))
	}
	for _, place := range places {
		if level, ok := table(table(config["projects"])[env.Resolved(place)])["trust_level"].(string); ok {
			return level == "trusted"
		}
	}
	return false
}

// approved compares the trust records in config.toml with those that the hooks need.
func approved(env harnesses.Env, config map[string]any, file harnesses.HookFile, content []byte) error {
	records, err := trustRecords(env, file, content)
	if err != nil {
		return err
	}
	var unknown, modified, off []string
	for _, r := range records {
		state := config
		for _, key := range r.Table {
			state = table(state[key])
		}
		event := eventOf(r)
		switch hash := state[r.Key]; {
		case state["enabled"] == false:
			off = append(off, event)
		case hash == nil:
			unknown = append(unknown, event)
		case hash != r.Value:
			modified = append(modified, event)
		}
	}
	some := func(events []string, what string) string {
		which := ""
		if len(events) < len(records) {
			which = " (" + strings.Join(events, ", ") + ")"
		}
		return fmt.Sprintf("%d of %d hooks are %s%s", len(events), len(records), what, which)
	}
	var all error
	var why []string
	if len(unknown) > 0 {
		why = append(why, some(unknown, "new"))
	}
	if len(modified) > 0 {
		why = append(why, some(modified, "changed since the last review"))
	}
	if len(why) > 0 {
		all = harnesses.BlockedError{Why: strings.Join(why, ", ") + ": Codex skips them silently", Fix: trustAll}
	}
	if len(off) > 0 {
		home := filepath.Join(locate(env).ConfigHome, "config.toml")
		all = errors.Join(all, harnesses.BlockedError{
			Why: some(off, "switched off in [hooks.state]") + ": Codex skips them silently",
			Fix: "remove enabled = false from [hooks.state] in " + home, Off: true,
		})
	}
	return all
}

// eventOf returns the event in a record's key, <file>:<event>:<group>:<handler>.
func eventOf(r harnesses.TrustRecord) string {
	parts := strings.Split(r.Table[len(r.Table)-1], ":")
	return parts[max(0, len(parts)-3)]
}

func matches(matcher string, ev harnesses.Event) bool {
	return harnesses.MatchesName(matcher, ev.Name, harnesses.Word, "|")
}
