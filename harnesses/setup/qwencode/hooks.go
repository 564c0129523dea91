package qwencode

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/jsonc"

	"wsi/harnesses"
	"wsi/harnesses/setup"
)

// events of 0.24.4 (read).
var events = []string{
	"PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "PermissionRequest", "PermissionDenied", "SubagentStart",
	"SubagentStop", "PreCompact", "PostCompact", "SessionStart", "SessionEnd", "SessionDelete", "Stop", "StopFailure", "Notification",
	"InstructionsLoaded", "UserPromptSubmit", "UserPromptExpansion", "MessageDisplay", "TodoCreated", "TodoCompleted",
}

const order = `Qwen Code starts the hooks of an event at once; if one of them has "sequential": true, one after the other, the project's first, then the user's, the administrator's and those of extensions.`

// managed returns the files of the machine's administrator (read in 0.24.4). Variables can move them.
func managed(env setup.Env) []setup.HookFile {
	system := cmp.Or(env.Getenv("QWEN_CODE_SYSTEM_SETTINGS_PATH"), env.ByOS("/etc/qwen-code/settings.json",
		"/Library/Application Support/QwenCode/settings.json", `C:\ProgramData\qwen-code\settings.json`))
	defaults := cmp.Or(env.Getenv("QWEN_CODE_SYSTEM_DEFAULTS_PATH"), filepath.Join(filepath.Dir(system), "system-defaults.json"))
	return []setup.HookFile{hookFile(defaults), hookFile(system)}
}

// settings returns all settings files. A later one overrides an earlier one.
func settings(env setup.Env) []setup.HookFile {
	m := managed(env)
	return slices.Concat(m[:1], reads(env, setup.User), reads(env, setup.Project), m[1:])
}

// extensions returns the hook files of the extensions: the manifest itself, or the file that it names.
func extensions(env setup.Env) (files []setup.HookFile) {
	all := filepath.Join(dir(env), "extensions")
	for _, name := range env.Names(all) {
		root := filepath.Join(all, name)
		var manifest struct {
			Name  string          `json:"name"`
			Hooks json.RawMessage `json:"hooks"`
		}
		path := filepath.Join(root, "qwen-extension.json")
		if !decode(env, path, &manifest) || manifest.Name == "" {
			continue
		}
		var said string
		if len(manifest.Hooks) == 0 || json.Unmarshal(manifest.Hooks, &said) == nil {
			path = filepath.Join(root, "hooks", "hooks.json")
		}
		if _, err := env.Stat(filepath.Join(root, said)); said != "" && err == nil {
			path = filepath.Join(root, said)
		}
		files = append(files, setup.HookFile{Path: path, Format: setup.JSON, Shape: setup.Grouped, Origin: setup.OfPlugin, Owner: manifest.Name})
	}
	return files
}

func decode(env setup.Env, path string, into any) bool {
	content, err := env.ReadIfThere(path)
	return err == nil && len(content) > 0 && json.Unmarshal(jsonc.ToJSON(content), into) == nil
}

// switches returns what switches off all hooks (read in 0.24.4).
func switches(env setup.Env) []setup.BlockedError {
	off := ""
	for _, file := range settings(env) {
		var said struct {
			Off *bool `json:"disableAllHooks"`
		}
		decode(env, file.Path, &said)
		if said.Off != nil && *said.Off {
			off = file.Path
		} else if said.Off != nil {
			off = ""
		}
	}
	if off == "" {
		return nil
	}
	return []setup.BlockedError{{Why: "disableAllHooks in " + off + " switches all hooks off", Fix: "remove disableAllHooks from " + off, Off: true}}
}

func skips(env setup.Env, _ setup.HookFile, _ []byte, hooks []setup.Hook) {
	gates := switches(env)
	for i := range hooks {
		h := &hooks[i]
		if !slices.Contains(events, h.Event) {
			h.Skip(setup.BlockedError{Why: "Qwen Code knows no event " + setup.Shown(h.Event), Fix: "make it one of " + strings.Join(events, ", ")})
		}
		if why := malformed(h); why != "" {
			h.Skip(setup.BlockedError{Why: why, Fix: `make it {"type": "command", "command": "..."}`})
		}
		for _, gate := range gates {
			h.Skip(gate)
		}
	}
}

// malformed returns why Qwen Code discards an entry.
func malformed(h *setup.Hook) string {
	needs := map[string]string{"command": "command", "http": "url", "prompt": "prompt"}
	kind, _ := h.Fields["type"].(string)
	member, known := needs[kind]
	switch {
	case kind == "":
		return "the entry has no type"
	case !known:
		return "unknown type " + setup.Shown(kind)
	}
	if said, _ := h.Fields[member].(string); said == "" {
		return "the entry has no " + member
	}
	return ""
}

// matches reports whether a matcher matches a tool's name: as a regular expression, or as one of a list of names. One
// that only JavaScript can compile counts as a match.
func matches(matcher string, ev harnesses.Event) bool {
	matcher = strings.TrimSpace(matcher)
	if matcher == "" || matcher == "*" || slices.Contains(strings.Split(matcher, "|"), ev.Name) {
		return true
	}
	re, err := setup.Expression(matcher)
	return err != nil && strings.Contains(matcher, "(?") || err == nil && re.MatchString(ev.Name)
}
