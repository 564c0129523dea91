package codex

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
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
	hooks := machine(env, "hooks.json")
	for _, path := range []string{requirements(env), hooks, managedConfig(env), legacyConfig(env)} {
		hf := setup.HookFile{Path: path, Format: setup.TOML, Shape: setup.Grouped, Origin: setup.OfManaged}
		if path == hooks {
			hf.Format = setup.JSON
		}
		files = append(files, hf)
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
func policy(env setup.Env, file setup.HookFile, content []byte) error {
	user, err := decode(env, userConfig(env))
	if err != nil {
		return err
	}
	var all error
	for _, why := range gates(env, configuration(env), file) {
		all = errors.Join(all, why)
	}
	return errors.Join(all, approved(env, user, file, content))
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

// approved compares the trust records in config.toml with those that the hooks need.
func approved(env setup.Env, config map[string]any, file setup.HookFile, content []byte) error {
	records, err := trustRecords(env, file, content)
	if err != nil {
		return err
	}
	var unknown, modified, off []string
	for _, r := range records {
		event := eventOf(r)
		switch said := approvalOf(setup.Table(config, "hooks", "state"), r.Table[2], r.Value); {
		case said.off:
			off = append(off, event)
		case !said.seen:
			unknown = append(unknown, event)
		case said.changed:
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
		all = setup.BlockedError{Why: strings.Join(why, ", ") + ": Codex skips them silently", Fix: trustAll}
	}
	if len(off) > 0 {
		home := userConfig(env)
		all = errors.Join(all, setup.BlockedError{
			Why: some(off, "switched off in [hooks.state]") + ": Codex skips them silently",
			Fix: "remove enabled = false from [hooks.state] in " + home, Off: true,
		})
	}
	return all
}

// eventOf returns the event in a record's key, <file>:<event>:<group>:<handler>.
func eventOf(r setup.TrustRecord) string {
	parts := strings.Split(r.Table[len(r.Table)-1], ":")
	return parts[max(0, len(parts)-3)]
}
