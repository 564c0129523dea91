package claudecode

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"wsi/harnesses"
)

// managed returns the settings file of the machine's administrator (Linux: tried with 2.1.197 and 2.1.329; others:
// code.claude.com/docs/en/managed-settings, 2026-11). Settings that an organization distributes by MDM or
// from its console are not in a file.
func managed(goos string) string {
	switch goos {
	case "darwin":
		return "/Library/Application Support/ClaudeCode/managed-settings.json"
	case "windows":
		return `C:\Program Files\ClaudeCode\managed-settings.json`
	}
	return "/etc/claude-code/managed-settings.json"
}

func managedFiles(env harnesses.Env) []harnesses.HookFile {
	return []harnesses.HookFile{{Path: managed(env.GOOS), Format: harnesses.JSON, Shape: harnesses.Grouped}}
}

func reads(env harnesses.Env, scope harnesses.Scope) []harnesses.HookFile {
	paths := []string{filepath.Join(locate(env).ConfigHome, "settings.json")}
	if scope == harnesses.Project {
		dir := filepath.Join(env.Cwd, ".claude")
		paths = []string{filepath.Join(dir, "settings.json"), filepath.Join(dir, "settings.local.json")}
	}
	files := make([]harnesses.HookFile, len(paths))
	for i, path := range paths {
		files[i] = harnesses.HookFile{Path: path, Format: harnesses.JSON, Shape: harnesses.Grouped}
	}
	return files
}

// above returns the file that 2.1.329 reads in addition to those of the current folder, in folders below it and in
// linked working trees. 2.1.197 does not read it.
func above(env harnesses.Env) []harnesses.HookFile {
	root := mainRoot(env)
	if root == env.Cwd {
		return nil
	}
	return []harnesses.HookFile{{Path: filepath.Join(root, ".claude", "settings.local.json"), Format: harnesses.JSON, Shape: harnesses.Grouped}}
}

// simple is the variable that means --bare (2.1.197 and 2.1.329). If it is set here, it is probably set where Claude
// Code is started.
const simple = "CLAUDE_CODE_SIMPLE"

// hookPolicy returns the switches that are on: any settings file of user or project can switch all hooks off, the
// administrator's also all but its own.
func hookPolicy(env harnesses.Env, _ harnesses.HookFile, _ []byte) error {
	files := slices.Concat(reads(env, harnesses.User), reads(env, harnesses.Project), above(env), managedFiles(env))
	var all error
	if set(env.Getenv(simple)) {
		all = harnesses.BlockedError{Why: simple + " is set, so Claude Code runs no hooks", Fix: "start Claude Code without " + simple, Off: true}
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
			all = errors.Join(all, harnesses.BlockedError{
				Why: fmt.Sprintf("disableAllHooks in %s switches all hooks off", file.Path),
				Fix: "remove disableAllHooks from " + file.Path, Off: true,
			})
		}
		if set(harnesses.Variables(settings.Env)[simple]) {
			all = errors.Join(all, harnesses.BlockedError{
				Why: fmt.Sprintf("%s is set under env in %s, so Claude Code runs no hooks", simple, file.Path),
				Fix: "remove " + simple + " from " + file.Path, Off: true,
			})
		}
		if settings.ManagedOnly && file.Path == managed(env.GOOS) {
			all = errors.Join(all, harnesses.BlockedError{
				Why: fmt.Sprintf("allowManagedHooksOnly in %s switches off all but the administrator's hooks", file.Path),
				Fix: "ask the administrator of this machine", Off: true,
			})
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

// matches treats a matcher of names only as a list of exact names, and any other one as an unanchored regular
// expression.
func matches(matcher string, ev harnesses.Event) bool {
	inName := func(r rune) bool { return harnesses.Word(r) || strings.ContainsRune("|, -", r) }
	switch {
	case matcher == "" || matcher == "*":
		return true
	case strings.TrimFunc(matcher, inName) == "":
		names := strings.FieldsFunc(matcher, func(r rune) bool { return r == '|' || r == ',' || r == ' ' })
		return slices.Contains(names, ev.Name)
	}
	re, err := regexp.Compile(matcher)
	return err == nil && re.MatchString(ev.Name)
}
