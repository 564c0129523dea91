// Package geminicli is all that wsi knows of Gemini CLI besides its dialect, measured on 0.61.0.
package geminicli

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"wsi/harnesses/clients"
	"wsi/harnesses/setup"
)

// plain wraps url only in an entry of type http. Without a type, Gemini CLI tries HTTP+SSE after Streamable HTTP (`mcp list` of 0.61.0).
func plain() setup.Plain {
	return setup.Plain{
		ID: clients.GeminiCLI, Name: "Gemini CLI", Binary: "gemini", Measured: []string{"0.61.0"}, MovedBy: "GEMINI_CLI_HOME", Below: ".gemini",
		Dir:  func(env setup.Env) string { return filepath.Join(env.Home, ".gemini") },
		User: []string{"settings.json"}, Project: []string{".gemini/settings.json"}, Format: setup.JSONC, Table: "mcpServers",
		Form: setup.Form{
			Env: "env", URL: "httpUrl", TypedURL: "url", Headers: "headers", Local: "stdio", Remote: "http",
			Kept: []string{"url", "tcp", "oauth", "authProviderType"},
		},
		Agreed: func(env setup.Env) bool { return strings.HasPrefix(trust(env), "TRUST_") },
		Why:    "Gemini CLI refuses a call without a required value before any hook runs. The relay sees all of a result, and the model neither sees nor types the value",
		Share:  "all agents of a session",
	}
}

// dir returns the folder of the user's configuration. GEMINI_CLI_HOME replaces the home folder, also with a relative path, unless
// it is empty (`mcp list` of 0.61.0).
func dir(env setup.Env) string { return plain().Locate(env).ConfigHome }

// Harness returns what wsi knows of Gemini CLI.
func Harness() setup.Harness {
	h := plain().Harness()
	h.Find, h.Files.Reads, h.Files.Borrowed = find, plain().Reads, managed
	h.Hooks.Dedupes = func(a, b string) bool { return a == b }
	h.Files.Plugins, h.Hooks.Skips = extensions, skips
	h.Hooks.Order = `Gemini CLI starts the hooks of an event at once. If one has "sequential": true, they run one after the other: the user's and the project's first, then those of extensions.`
	h.Files.PluginRemover = func(owner string) string { return "gemini extensions uninstall " + owner } // geminicli.com/docs/extensions/reference, 2026-11
	return h
}

// find blocks all servers in a folder that the user does not trust: Gemini CLI starts none there (0.61.0).
func find(env setup.Env) (setup.Presence, error) {
	p, err := plain().Harness().Find(env)
	if distrusted(env) {
		for i := range p.Servers {
			p.Servers[i].Blocked, p.Servers[i].Remedy = "is not started, because you do not trust "+env.Cwd, trustHere
		}
	}
	return p, err
}

// managed returns the files of the machine's administrator (read in 0.61.0). Variables can move them.
func managed(env setup.Env) []setup.HookFile {
	path := env.ByOS("/etc/gemini-cli/settings.json", "/Library/Application Support/GeminiCli/settings.json", `C:\ProgramData\gemini-cli\settings.json`)
	path = cmp.Or(env.Getenv("GEMINI_CLI_SYSTEM_SETTINGS_PATH"), path)
	return []setup.HookFile{{Path: path, Format: setup.JSONC, Shape: setup.Grouped, Origin: setup.OfManaged}}
}

// skips returns the switches that are off (0.61.0).
func skips(env setup.Env, _ setup.HookFile, _ []byte, hooks []setup.Hook) []setup.Reason {
	disabled := map[string]string{}
	for _, file := range settingsFiles(env) {
		names, _ := setup.Setting[[]any](env, []setup.HookFile{file}, "hooksConfig", "disabled")
		for _, v := range names {
			if name, ok := v.(string); ok && name != "" {
				disabled[name] = file.Path
			}
		}
	}
	for i := range hooks {
		name, _ := hooks[i].Fields["name"].(string)
		if path := disabled[cmp.Or(name, hooks[i].Command)]; path != "" {
			hooks[i].Skip(setup.Reason{Why: "hooksConfig.disabled in " + path + " switches it off", Fix: "remove it from hooksConfig.disabled in " + path, Off: true})
		}
	}
	return switches(env)
}

// extensions returns the hook files of the extensions, switched on or off. A linked one stays in its own folder.
func extensions(env setup.Env) (files []setup.HookFile) {
	all := filepath.Join(dir(env), "extensions")
	for _, name := range env.Names(all) {
		root := filepath.Join(all, name)
		var install struct{ Source, Type string }
		if env.Decode(filepath.Join(root, ".gemini-extension-install.json"), setup.JSON, &install) == nil && install.Type == "link" {
			root = install.Source
		}
		var manifest struct{ Name, Version string }
		if env.Decode(filepath.Join(root, "gemini-extension.json"), setup.JSON, &manifest) != nil || manifest.Name == "" || manifest.Version == "" {
			continue // Gemini CLI skips it
		}
		files = append(files, setup.HookFile{
			Path: filepath.Join(root, "hooks", "hooks.json"), Format: setup.JSON, Shape: setup.Grouped,
			Origin: setup.OfPlugin, Owner: manifest.Name,
		})
	}
	return files
}

// settingsFiles returns all settings files. A later one overrides an earlier one: the administrator's the project's, and that
// the user's.
func settingsFiles(env setup.Env) []setup.HookFile {
	return slices.Concat(plain().Reads(env, setup.User), plain().Reads(env, setup.Project), managed(env))
}

// switches returns the switch that is off, and whether the folder is not trusted: then neither hooks nor servers run.
func switches(env setup.Env) (all []setup.Reason) {
	if on, path := setup.Setting[bool](env, settingsFiles(env), "hooksConfig", "enabled"); path != "" && !on {
		all = append(all, setup.SwitchedOff("hooksConfig.enabled", path, "all hooks"))
	}
	if distrusted(env) {
		all = append(all, setup.Reason{Why: "you do not trust " + env.Cwd + ": Gemini CLI runs neither hooks nor servers there", Fix: trustHere, Off: true})
	}
	return all
}

const trustHere = "run gemini there and type /permissions trust, if you trust it"

// distrusted reports whether the user does not trust the current folder, and Gemini CLI asks about folders at all: it does so at
// its start, if the user has not decided.
func distrusted(env setup.Env) bool {
	on, path := setup.Setting[bool](env, settingsFiles(env), "security", "folderTrust", "enabled")
	return trust(env) == "DO_NOT_TRUST" && (on || path == "")
}

// trust returns the value of the longest rule that matches the current folder, "" if none does.
func trust(env setup.Env) string {
	var rules map[string]any
	if env.Decode(filepath.Join(dir(env), "trustedFolders.json"), setup.JSONC, &rules) != nil {
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
