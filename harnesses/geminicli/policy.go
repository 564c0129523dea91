package geminicli

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"wsi/harnesses"
)

func reads(env harnesses.Env, scope harnesses.Scope) []harnesses.HookFile {
	return []harnesses.HookFile{hookFile(settings(env, scope))}
}

func hookFile(path string) harnesses.HookFile {
	return harnesses.HookFile{Path: path, Format: harnesses.JSONC, Shape: harnesses.Grouped}
}

// managed returns the files of the machine's administrator (read in 0.61.0). Variables can move them.
func managed(env harnesses.Env) []harnesses.HookFile {
	path := env.ByOS("/etc/gemini-cli/settings.json", "/Library/Application Support/GeminiCli/settings.json", `C:\ProgramData\gemini-cli\settings.json`)
	return []harnesses.HookFile{hookFile(cmp.Or(env.Getenv("GEMINI_CLI_SYSTEM_SETTINGS_PATH"), path))}
}

// config is the part of a settings file that decides about hooks.
type config struct {
	Hooks struct {
		Enabled  *bool `json:"enabled"`
		Disabled []any `json:"disabled"` // names of hooks; the name of one without is its command
	} `json:"hooksConfig"`
	Security struct {
		FolderTrust struct {
			Enabled *bool `json:"enabled"`
		} `json:"folderTrust"`
	} `json:"security"`
}

// settingsFiles returns all settings files. A later one overrides an earlier one.
func settingsFiles(env harnesses.Env) []harnesses.HookFile {
	return slices.Concat(reads(env, harnesses.User), reads(env, harnesses.Project), managed(env))
}

// policy returns why Gemini CLI runs no hooks, or not those of wsi.
func policy(env harnesses.Env, _ harnesses.HookFile, content []byte) error {
	var all error
	for _, gate := range switches(env) {
		all = errors.Join(all, gate)
	}
	disabled := disabledHooks(env)
	for _, name := range slices.Sorted(maps.Keys(disabled)) {
		if path := disabled[name]; ours(name, content) {
			all = errors.Join(all, harnesses.BlockedError{
				Why: "hooksConfig.disabled in " + path + " switches wsi's hooks off", Fix: "remove them from hooksConfig.disabled in " + path, Off: true,
			})
		}
	}
	return all
}

// switches returns the switch that is off, and whether the folder is not trusted: then neither hooks nor servers run. The
// administrator's file overrides the project's, which overrides the user's. Gemini CLI asks at its start about
// a folder that the user has not decided about.
func switches(env harnesses.Env) (all []harnesses.BlockedError) {
	off := ""
	for _, file := range settingsFiles(env) {
		if on := configIn(env, file.Path).Hooks.Enabled; on != nil && *on {
			off = ""
		} else if on != nil {
			off = file.Path
		}
	}
	if off != "" {
		all = append(all, harnesses.BlockedError{Why: "hooksConfig.enabled in " + off + " switches all hooks off", Fix: "remove hooksConfig.enabled from " + off, Off: true})
	}
	if trust(env) == distrust && asks(env) {
		all = append(all, harnesses.BlockedError{Why: "you do not trust " + env.Cwd + ": Gemini CLI runs neither hooks nor servers there", Fix: trustHere, Off: true})
	}
	return all
}

// ours reports whether a command is that of a hook of wsi in the file.
func ours(line string, content []byte) bool {
	said, ok := harnesses.ParseCommand(line)
	quoted := strings.TrimSuffix(string(harnesses.JSONLine(line)), "\n")
	return ok && said.Harness == ID && strings.Contains(string(content), quoted)
}

// configIn returns that part of a file, empty if the file cannot be read.
func configIn(env harnesses.Env, path string) (c config) {
	text, err := env.ReadIfThere(path)
	if plain, bad := withoutComments(text); err != nil || len(text) == 0 || bad != nil || json.Unmarshal(plain, &c) != nil {
		return config{}
	}
	return c
}

// The values of a folder's trust, and how to change it.
const (
	distrust  = "DO_NOT_TRUST"
	trustHere = "run gemini there and type /permissions trust, if you trust it"
)

// asks reports whether Gemini CLI asks about folders at all.
func asks(env harnesses.Env) bool {
	on := true
	for _, file := range settingsFiles(env) {
		if said := configIn(env, file.Path).Security.FolderTrust.Enabled; said != nil {
			on = *said
		}
	}
	return on
}

// trust returns the value of the longest rule that matches the current folder, "" if none does.
func trust(env harnesses.Env) string {
	content, err := env.ReadIfThere(filepath.Join(dir(env), "trustedFolders.json"))
	plain, bad := withoutComments(content)
	var rules map[string]any
	if err != nil || bad != nil || json.Unmarshal(plain, &rules) != nil {
		return "" // Gemini CLI does not start with a broken file
	}
	longest, says := -1, any(nil)
	for path, level := range rules {
		at := path
		if level == "TRUST_PARENT" {
			at = filepath.Dir(path)
		}
		if env.Within(at) && len(path) > longest {
			longest, says = len(path), level
		}
	}
	level, _ := says.(string)
	return level
}
