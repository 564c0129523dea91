package claudecode

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"

	"wsi/harnesses"
)

// managed returns the settings file of the machine's administrator (Linux: tried with 2.1.197 and 2.1.329; others:
// code.claude.com/docs/en/managed-settings, 2026-11). Settings that an organization distributes by MDM or
// from its console are not in a file.
func managed(env harnesses.Env) string {
	return env.ByOS("/etc/claude-code/managed-settings.json",
		"/Library/Application Support/ClaudeCode/managed-settings.json", `C:\Program Files\ClaudeCode\managed-settings.json`)
}

func hookFile(path string) harnesses.HookFile {
	return harnesses.HookFile{Path: path, Format: harnesses.JSON, Shape: harnesses.Grouped}
}

func managedFiles(env harnesses.Env) []harnesses.HookFile {
	return []harnesses.HookFile{hookFile(managed(env))}
}

func reads(env harnesses.Env, scope harnesses.Scope) []harnesses.HookFile {
	if scope == harnesses.Project {
		dir := filepath.Join(env.Cwd, ".claude")
		return []harnesses.HookFile{hookFile(filepath.Join(dir, "settings.json")), hookFile(filepath.Join(dir, "settings.local.json"))}
	}
	return []harnesses.HookFile{hookFile(filepath.Join(locate(env).ConfigHome, "settings.json"))}
}

// above returns the file that 2.1.329 reads in addition to those of the current folder, in folders below it and in
// linked working trees. 2.1.197 does not read it.
func above(env harnesses.Env) []harnesses.HookFile {
	root := mainRoot(env)
	if root == env.Cwd {
		return nil
	}
	return []harnesses.HookFile{hookFile(filepath.Join(root, ".claude", "settings.local.json"))}
}

// simple is the variable that means --bare (2.1.197 and 2.1.329). If it is set here, it is probably set where Claude
// Code is started.
const simple = "CLAUDE_CODE_SIMPLE"

// hookPolicy returns the switches that are on: any settings file of user or project can switch all hooks off, the
// administrator's also all but its own.
func hookPolicy(env harnesses.Env, _ harnesses.HookFile, _ []byte) error {
	files := slices.Concat(reads(env, harnesses.User), reads(env, harnesses.Project), above(env), managedFiles(env))
	var all error
	block := func(why, fix string) {
		all = errors.Join(all, harnesses.BlockedError{Why: why, Fix: fix, Off: true})
	}
	if set(env.Getenv(simple)) {
		block(simple+" is set, so Claude Code runs no hooks", "start Claude Code without "+simple)
	}
	for _, file := range files {
		var settings struct {
			Off         bool `json:"disableAllHooks"`
			ManagedOnly bool `json:"allowManagedHooksOnly"`
			Env         any  `json:"env"`
		}
		content, err := env.ReadIfThere(file.Path)
		if err != nil || validate(file, content) != nil || json.Unmarshal(content, &settings) != nil {
			continue // Claude Code ignores such a file
		}
		if settings.Off {
			block("disableAllHooks in "+file.Path+" switches all hooks off", "remove disableAllHooks from "+file.Path)
		}
		if set(harnesses.Variables(settings.Env)[simple]) {
			block(simple+" is set under env in "+file.Path+", so Claude Code runs no hooks", "remove "+simple+" from "+file.Path)
		}
		if settings.ManagedOnly && file.Path == managed(env) {
			block("allowManagedHooksOnly in "+file.Path+" switches off all but the administrator's hooks", "ask the administrator of this machine")
		}
	}
	return all
}

// set reports whether a variable's value switches something on.
func set(value string) bool { return value != "" && value != "0" && value != "false" }

// variables returns what settings files set for hooks. The last file that sets one wins.
func variables(env harnesses.Env) (values, from map[string]string) {
	values, from = map[string]string{}, map[string]string{}
	for _, file := range slices.Concat(reads(env, harnesses.User), above(env), reads(env, harnesses.Project), managedFiles(env)) {
		var settings struct {
			Env any `json:"env"`
		}
		content, err := env.ReadIfThere(file.Path)
		if err != nil || validate(file, content) != nil || json.Unmarshal(content, &settings) != nil {
			continue
		}
		for name, value := range harnesses.Variables(settings.Env) {
			values[name], from[name] = value, file.Path
		}
	}
	return values, from
}

func matches(matcher string, ev harnesses.Event) bool {
	return harnesses.MatchesName(matcher, ev.Name, harnesses.WordOrHyphen, "|, ")
}
