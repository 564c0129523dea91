// Package zed is all that wsi knows of Zed, read in its documentation of 2026-11. Nothing of it was
// tried with the program. Its agent has no hooks.
package zed

import (
	"path/filepath"

	"wsi/harnesses"
)

// ID names the harness on command lines.
const ID = "zed"

// Harness returns what wsi knows of Zed.
func Harness() harnesses.Harness {
	return harnesses.Harness{
		ID: ID, Name: "Zed",
		Find: find, Wiring: harnesses.NoHooks, Registers: registers,
		Choices: []harnesses.Choice{{Way: harnesses.ByRelay, Why: "it has no hooks"}},
		Caveats: []string{
			"Not yet tried: what wsi knows of Zed comes from its documentation.",
			"Zed says nothing of who calls, so that all threads of a window are one to wsi.",
		},
	}
}

// dir is the same on Linux and macOS.
func dir(env harnesses.Env) string {
	switch env.GOOS {
	case "darwin":
		return filepath.Join(env.Home, ".config", "zed")
	case "windows":
		return filepath.Join(env.AppConfig(), "Zed")
	}
	return filepath.Join(env.AppConfig(), "zed")
}

func find(env harnesses.Env) (harnesses.Presence, error) {
	p := env.Locate("zed", "", dir(env))
	var err error
	p.Servers, err = env.Registered(append(registers(env, harnesses.User), registers(env, harnesses.Project)...))
	return p, err
}

// registers: an older form, in which command is a table with path and args, wsi refuses.
func registers(env harnesses.Env, scope harnesses.Scope) []harnesses.ServerFile {
	path := filepath.Join(dir(env), "settings.json")
	if scope == harnesses.Project {
		path = filepath.Join(env.Cwd, ".zed", "settings.json")
	}
	return []harnesses.ServerFile{{
		Path: path, Format: harnesses.JSONC, Tables: [][]string{{"context_servers"}},
		Form: harnesses.Form{Env: "env", URL: "url", Headers: "headers", Kept: []string{"oauth", "settings"}},
	}}
}
