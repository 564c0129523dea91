// Package qwencode is all that wsi knows of Qwen Code besides its dialect, measured on 0.24.4.
package qwencode

import (
	"cmp"
	"path/filepath"
	"slices"

	"wsi/harnesses/clients"
	"wsi/harnesses/setup"
	"wsi/internal/lists"
)

// plain: QWEN_HOME moves its folder, also to a relative path, unless it is empty (`mcp list` of 0.24.4). Under url it has servers over HTTP+SSE. settings.local.json is of its
// documentation (1.x) and was not tried.
func plain() setup.Plain {
	return setup.Plain{
		ID: clients.QwenCode, Name: "Qwen Code", Binary: "qwen", Measured: []string{"0.24.4"}, MovedBy: "QWEN_HOME", Tilde: true,
		Dir:  func(env setup.Env) string { return filepath.Join(env.Home, ".qwen") },
		User: []string{"settings.json"}, Project: []string{".qwen/settings.json", ".qwen/settings.local.json"},
		Format: setup.JSONC, Table: "mcpServers",
		Form: setup.Form{
			Env: "env", URL: "httpUrl", Headers: "headers", Local: "stdio", Remote: "http",
			Kept: []string{"url", "tcp", "oauth", "authProviderType"},
		},
		Why:   "Qwen Code ignores the arguments that a hook changes, and checks required arguments before any hook runs",
		Share: "all agents of a session",
		Caveats: []string{
			// 0.24.4 in a terminal: the session's id changes, the server's process and its environment stay.
			"After /clear, Qwen Code keeps the same server, so wsi cannot tell the new conversation from the old one: restart Qwen Code instead.",
		},
	}
}

// Harness returns what wsi knows of Qwen Code.
func Harness() setup.Harness {
	h := plain().Harness()
	h.Files.Reads = plain().Reads // hooks in settings.local.json do not run (0.24.4)
	h.Files.Borrowed, h.Files.Plugins, h.Hooks.Skips, h.Hooks.Blocking = managed, extensions, skips, setup.BlocksCalls
	h.Hooks.Order = `Qwen Code starts the hooks of an event at once. If one has "sequential": true, they run one after the other: the project's first, then the user's, the administrator's and those of extensions.`
	return h
}

// managed returns the files of the machine's administrator (read in 0.24.4). Variables can move them.
func managed(env setup.Env) []setup.HookFile {
	system := cmp.Or(env.Getenv("QWEN_CODE_SYSTEM_SETTINGS_PATH"), env.ByOS("/etc/qwen-code/settings.json",
		"/Library/Application Support/QwenCode/settings.json", `C:\ProgramData\qwen-code\settings.json`))
	defaults := cmp.Or(env.Getenv("QWEN_CODE_SYSTEM_DEFAULTS_PATH"), filepath.Join(filepath.Dir(system), "system-defaults.json"))
	return lists.Map([]string{defaults, system}, func(path string) setup.HookFile {
		return setup.HookFile{Path: path, Format: setup.JSONC, Shape: setup.Grouped, Origin: setup.OfManaged}
	})
}

// extensions returns the hook files of the extensions: the manifest itself, or the file that it names.
func extensions(env setup.Env) (files []setup.HookFile) {
	all := filepath.Join(plain().Locate(env).ConfigHome, "extensions")
	for _, name := range env.Names(all) {
		root := filepath.Join(all, name)
		var manifest struct {
			Name  string
			Hooks any
		}
		path := filepath.Join(root, "qwen-extension.json")
		if env.Decode(path, setup.JSONC, &manifest) != nil || manifest.Name == "" {
			continue
		}
		named, isName := manifest.Hooks.(string)
		if isName || manifest.Hooks == nil {
			path = filepath.Join(root, "hooks", "hooks.json")
		}
		if named != "" && env.Exists(filepath.Join(root, named)) {
			path = filepath.Join(root, named)
		}
		files = append(files, setup.HookFile{Path: path, Format: setup.JSON, Shape: setup.Grouped, Origin: setup.OfPlugin, Owner: manifest.Name})
	}
	return files
}

// skips returns the switch that is off (read in 0.24.4): of a setting in several files, the last one counts.
func skips(env setup.Env, _ setup.HookFile, _ []byte, _ []setup.Hook) (all []setup.Reason) {
	m := managed(env)
	files := slices.Concat(m[:1], plain().Reads(env, setup.User), plain().Reads(env, setup.Project), m[1:])
	if off, path := setup.Setting[bool](env, files, "disableAllHooks"); off {
		all = append(all, setup.SwitchedOff("disableAllHooks", path, "all hooks"))
	}
	return all
}
