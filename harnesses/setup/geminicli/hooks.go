package geminicli

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"wsi/harnesses/setup"
)

// events of 0.61.0. Entries under another name are ignored, with a warning.
var events = []string{
	"BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "Notification", "SessionStart", "SessionEnd", "PreCompress",
	"BeforeModel", "AfterModel", "BeforeToolSelection",
}

const order = "Gemini CLI starts the hooks of an event at once, or one after the other, the user's and the project's before those of extensions, if one of them has \"sequential\": true."

// skips judges hooks by what 0.61.0 does: see HookRegistry and HookPlanner in its bundle.
func skips(env setup.Env, file setup.HookFile, _ []byte, hooks []setup.Hook) {
	gates := switches(env)
	if file.Origin == setup.OfPlugin {
		gates = append(gates, extensionOff(env, file.Owner)...)
	}
	disabled := disabledHooks(env)
	for i := range hooks {
		h := &hooks[i]
		if !slices.Contains(events, h.Event) {
			h.Skip(setup.BlockedError{Why: "Gemini CLI knows no event " + setup.Shown(h.Event), Fix: "make it one of " + strings.Join(events, ", ")})
		}
		if why := malformed(h); why != "" {
			h.Skip(setup.BlockedError{Why: why, Fix: `make it {"type": "command", "command": "..."}`})
		}
		if path := disabled[nameOf(h)]; path != "" {
			h.Skip(setup.BlockedError{Why: "hooksConfig.disabled in " + path + " switches it off", Fix: "remove it from hooksConfig.disabled in " + path, Off: true})
		}
		for _, gate := range gates {
			h.Skip(gate)
		}
	}
}

// malformed returns why Gemini CLI discards an entry.
func malformed(h *setup.Hook) string {
	kind, _ := h.Fields["type"].(string)
	switch {
	case kind == "":
		return "the entry has no type"
	case !slices.Contains([]string{"command", "plugin", "runtime"}, kind):
		return "unknown type " + setup.Shown(kind)
	case kind == "command" && h.Command == "":
		return "the entry has no command"
	}
	return ""
}

// nameOf returns the name by which Gemini CLI switches a hook off.
func nameOf(h *setup.Hook) string {
	if name, _ := h.Fields["name"].(string); name != "" {
		return name
	}
	return h.Command
}

// disabledHooks returns the names of the hooks that are switched off, with the file that does so.
func disabledHooks(env setup.Env) map[string]string {
	off := map[string]string{}
	for _, file := range settingsFiles(env) {
		for _, v := range configIn(env, file.Path).Hooks.Disabled {
			if name, ok := v.(string); ok && name != "" {
				off[name] = file.Path
			}
		}
	}
	return off
}

// extensions returns the hook files of the extensions. A linked one stays in its own folder.
func extensions(env setup.Env) (files []setup.HookFile) {
	all := filepath.Join(dir(env), "extensions")
	for _, name := range env.Names(all) {
		root := filepath.Join(all, name)
		var install struct{ Source, Type string }
		if decode(env, filepath.Join(root, ".gemini-extension-install.json"), &install) && install.Type == "link" {
			root = install.Source
		}
		var manifest struct{ Name, Version string }
		if !decode(env, filepath.Join(root, "gemini-extension.json"), &manifest) || manifest.Name == "" || manifest.Version == "" {
			continue // Gemini CLI skips it
		}
		files = append(files, setup.HookFile{
			Path: filepath.Join(root, "hooks", "hooks.json"), Format: setup.JSON, Shape: setup.Grouped,
			Origin: setup.OfPlugin, Owner: manifest.Name,
		})
	}
	return files
}

// extensionOff says whether an extension is switched off in the current folder: the last rule that matches counts.
func extensionOff(env setup.Env, name string) []setup.BlockedError {
	path := filepath.Join(dir(env), "extensions", "extension-enablement.json")
	var rules map[string]struct{ Overrides []string }
	decode(env, path, &rules)
	off := false
	for _, rule := range rules[name].Overrides {
		pattern, no := strings.CutPrefix(rule, "!")
		if covers(pattern, env.Cwd) {
			off = no
		}
	}
	if !off {
		return nil
	}
	return []setup.BlockedError{{Why: "the extension " + name + " is switched off here, in " + path, Fix: "gemini extensions enable " + name, Off: true}}
}

// covers reports whether a rule covers a folder: a star matches any folders.
func covers(rule, folder string) bool {
	folder = "/" + strings.Trim(filepath.ToSlash(folder), "/") + "/"
	pattern := regexp.MustCompile(`(/?)\\\*`).ReplaceAllString(regexp.QuoteMeta(rule), "(${1}.*)?")
	ok, err := regexp.MatchString("^"+pattern+"$", folder)
	return err == nil && ok
}

// decode decodes a JSON file. It reports whether it could.
func decode(env setup.Env, path string, into any) bool {
	content, err := env.ReadIfThere(path)
	return err == nil && len(content) > 0 && json.Unmarshal(content, into) == nil
}
