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

// managed is the settings file of the machine's administrator (Linux, 2.1.197 and 2.1.329).
const managed = "/etc/claude-code/managed-settings.json"

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

// above is the file that 2.1.329 reads besides those of the current folder, in folders below and in
// linked working trees; 2.1.197 does not.
func above(env harnesses.Env) []harnesses.HookFile {
	root := mainRoot(env)
	if root == env.Cwd {
		return nil
	}
	return []harnesses.HookFile{{Path: filepath.Join(root, ".claude", "settings.local.json"), Format: harnesses.JSON, Shape: harnesses.Grouped}}
}

// gate knows the switches for all hooks: any settings file of user or project can turn them all
// off, the administrator's also those that are not his.
func gate(env harnesses.Env, _ harnesses.HookFile, _ []byte) error {
	files := slices.Concat(reads(env, harnesses.User), reads(env, harnesses.Project), above(env))
	if env.GOOS == "linux" {
		files = append(files, harnesses.HookFile{Path: managed})
	}
	var all error
	for _, file := range files {
		var settings struct {
			Off         bool `json:"disableAllHooks"`
			ManagedOnly bool `json:"allowManagedHooksOnly"`
		}
		content, err := env.ReadIfThere(file.Path)
		if err != nil || json.Unmarshal(content, &settings) != nil {
			continue // Claude Code ignores such a file
		}
		if settings.Off {
			all = errors.Join(all, harnesses.Closed{
				Why: fmt.Sprintf("disableAllHooks in %s switches all hooks off", file.Path),
				Fix: "take disableAllHooks out of " + file.Path, Off: true,
			})
		}
		if settings.ManagedOnly && file.Path == managed {
			all = errors.Join(all, harnesses.Closed{
				Why: fmt.Sprintf("allowManagedHooksOnly in %s switches off all hooks but the administrator's", managed),
				Fix: "ask whoever administers this machine", Off: true,
			})
		}
	}
	return all
}

// matches: a matcher of nothing but names is a list of exact names; any other one is an unanchored
// regular expression.
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
