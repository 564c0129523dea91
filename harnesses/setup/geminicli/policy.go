package geminicli

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"

	"github.com/tidwall/jsonc"

	"wsi/harnesses/setup"
)

func reads(env setup.Env, scope setup.Scope) []setup.HookFile {
	return []setup.HookFile{hookFile(settings(env, scope))}
}

func hookFile(path string) setup.HookFile {
	return setup.HookFile{Path: path, Format: setup.JSONC, Shape: setup.Grouped}
}

// managed returns the files of the machine's administrator (read in 0.61.0). Variables can move them.
func managed(env setup.Env) []setup.HookFile {
	path := env.ByOS("/etc/gemini-cli/settings.json", "/Library/Application Support/GeminiCli/settings.json", `C:\ProgramData\gemini-cli\settings.json`)
	return []setup.HookFile{hookFile(cmp.Or(env.Getenv("GEMINI_CLI_SYSTEM_SETTINGS_PATH"), path))}
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
func settingsFiles(env setup.Env) []setup.HookFile {
	return slices.Concat(reads(env, setup.User), reads(env, setup.Project), managed(env))
}

// switches returns the switch that is off, and whether the folder is not trusted: then neither hooks nor servers run. The
// administrator's file overrides the project's, which overrides the user's. Gemini CLI asks at its start about
// a folder that the user has not decided about.
func switches(env setup.Env) (all []setup.BlockedError) {
	off := ""
	for _, file := range settingsFiles(env) {
		if on := configIn(env, file.Path).Hooks.Enabled; on != nil && *on {
			off = ""
		} else if on != nil {
			off = file.Path
		}
	}
	if off != "" {
		all = append(all, setup.BlockedError{Why: "hooksConfig.enabled in " + off + " switches all hooks off", Fix: "remove hooksConfig.enabled from " + off, Off: true})
	}
	if trust(env) == distrust && asks(env) {
		all = append(all, setup.BlockedError{Why: "you do not trust " + env.Cwd + ": Gemini CLI runs neither hooks nor servers there", Fix: trustHere, Off: true})
	}
	return all
}

// configIn returns that part of a file, empty if the file cannot be read.
func configIn(env setup.Env, path string) (c config) {
	text, err := env.ReadIfThere(path)
	if err != nil || json.Unmarshal(jsonc.ToJSON(text), &c) != nil {
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
func asks(env setup.Env) bool {
	on := true
	for _, file := range settingsFiles(env) {
		if said := configIn(env, file.Path).Security.FolderTrust.Enabled; said != nil {
			on = *said
		}
	}
	return on
}

// trust returns the value of the longest rule that matches the current folder, "" if none does.
func trust(env setup.Env) string {
	content, err := env.ReadIfThere(filepath.Join(dir(env), "trustedFolders.json"))
	var rules map[string]any
	if err != nil || json.Unmarshal(jsonc.ToJSON(content), &rules) != nil {
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
