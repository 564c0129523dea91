// Package copilotcli is all that wsi knows of GitHub Copilot CLI besides its dialect, measured on 1.0.102.
package copilotcli

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"wsi/harnesses/clients"
	"wsi/harnesses/setup"
)

// plain leaves out a project's .mcp.json, which Copilot CLI reads as well (documentation of 2026-11): a registration names
// one harness, and there it is Claude Code.
func plain() setup.Plain {
	return setup.Plain{
		ID: clients.CopilotCLI, Name: "Copilot CLI", Binary: "copilot", MovedBy: "COPILOT_HOME", Measured: []string{"1.0.102"},
		Dir:  func(env setup.Env) string { return filepath.Join(env.Home, ".copilot") },
		User: []string{"mcp-config.json"}, Project: []string{".github/mcp.json"}, Format: setup.JSON, Table: "mcpServers",
		Form:   setup.Form{Env: "env", URL: "url", Headers: "headers", Local: "local", Remote: "http", Kept: []string{"oauth"}},
		Agreed: func(env setup.Env) bool { ok, err := trusted(env); return ok && err == nil },
		Why:    "the relay sees all of a result, also of an error. If wsi is missing, the server does not start, so you notice at once",
		Share:  "all agents of a session",
	}
}

// Harness returns what wsi knows of Copilot CLI.
func Harness() setup.Harness {
	h := plain().Harness()
	h.Files.Plugins, h.Hooks.Skips = hookFiles, skips
	return h
}

// trusted reports whether the user trusts the current folder or one above it. Both spellings count, and only in this file
// (1.0.102).
func trusted(env setup.Env) (bool, error) {
	path := filepath.Join(plain().Locate(env).ConfigHome, "config.json")
	if _, err := env.ReadIfThere(path); err != nil {
		return false, err
	}
	var config struct {
		Trusted []string `json:"trustedFolders"`
		Older   []string `json:"trusted_folders"`
	}
	bad := env.Decode(path, setup.JSONC, &config)
	return bad == nil && slices.ContainsFunc(slices.Concat(config.Trusted, config.Older), env.Within), nil
}

// hookFiles returns the files with hooks: all in the folders of hooks and below, and settings. It reads the project's of
// Claude Code, not the user's (1.0.102).
func hookFiles(env setup.Env) []setup.HookFile {
	home := plain().Locate(env).ConfigHome
	members := []string{env.ByOS("bash", "bash", "powershell"), "command"} // a system's own comes first
	file := func(origin setup.Origin, owner, path string) setup.HookFile {
		return setup.HookFile{Path: path, Format: setup.JSON, Shape: setup.Either, Origin: origin, Owner: owner, Members: members}
	}
	var files []setup.HookFile
	var below func(dir string, origin setup.Origin, depth int)
	below = func(dir string, origin setup.Origin, depth int) {
		for _, name := range env.Names(dir) {
			path := filepath.Join(dir, name)
			if depth > 0 && env.IsDir(path) {
				below(path, origin, depth-1)
			} else if filepath.Ext(name) == ".json" {
				files = append(files, file(origin, "", path))
			}
		}
	}
	const deep = 5 // a link can lead back
	below(filepath.Join(home, "hooks"), setup.OfUser, deep)
	below(filepath.Join(env.Cwd, ".github", "hooks"), setup.OfProject, deep)
	const claude = "Claude Code"
	return append(files,
		file(setup.OfUser, "", filepath.Join(home, "settings.json")),
		file(setup.OfProject, "", filepath.Join(env.Cwd, ".github", "copilot", "settings.json")),
		file(setup.OfLocal, "", filepath.Join(env.Cwd, ".github", "copilot", "settings.local.json")),
		file(setup.OfImport, claude, filepath.Join(env.Cwd, ".claude", "settings.json")),
		file(setup.OfImport, claude, filepath.Join(env.Cwd, ".claude", "settings.local.json")),
	)
}

// skips returns why Copilot CLI runs none of a file's hooks (1.0.102).
func skips(env setup.Env, file setup.HookFile, content []byte, _ []setup.Hook) (all []setup.Reason) {
	var said struct {
		Off bool `json:"disableAllHooks"`
	}
	_ = json.Unmarshal(content, &said)                                        // another value says nothing
	if said.Off && strings.Contains(filepath.ToSlash(file.Path), "/hooks/") { // in settings it has no effect
		all = append(all, setup.Reason{Why: "disableAllHooks in the same file switches its hooks off", Fix: "remove disableAllHooks from " + file.Path, Off: true})
	}
	if file.Origin == setup.OfUser {
		return all
	}
	if ok, err := trusted(env); !ok && err == nil { // headless as well (1.0.102)
		all = append(all, setup.Reason{
			Why: "a project's hooks run only in trusted folders, and are skipped silently elsewhere",
			Fix: "run copilot in " + env.Cwd + ", and trust the folder", Approval: true,
		})
	}
	return all
}
