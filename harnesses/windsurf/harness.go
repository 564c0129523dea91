// Package windsurf is all that wsi knows of Windsurf, read in its documentation of 2026-11 and in what
// others report. Nothing of it was tried with the program. Its hooks can neither change arguments nor
// answer a call.
package windsurf

import (
	"path/filepath"

	"wsi/harnesses"
)

// ID names the harness on command lines.
const ID = "windsurf"

// Harness returns what wsi knows of Windsurf.
func Harness() harnesses.Harness {
	return harnesses.Harness{
		ID: ID, Name: "Windsurf",
		Find: find, Wiring: harnesses.NoHooks, Registers: registers,
		Choices: []harnesses.Choice{{Way: harnesses.ByRelay, Why: "its hooks can block a call, but not change it"}},
		Caveats: []string{
			"Not yet tried: what wsi knows of Windsurf comes from its documentation.",
			"Windsurf says nothing of who calls, so that all its conversations are one to wsi.",
		},
	}
}

// dir is the same on every system.
func dir(env harnesses.Env) string { return filepath.Join(env.Home, ".codeium", "windsurf") }

func find(env harnesses.Env) (harnesses.Presence, error) {
	p := env.Locate("windsurf", "", dir(env))
	var err error
	p.Servers, err = env.Registered(registers(env, harnesses.User))
	return p, err
}

func registers(env harnesses.Env, scope harnesses.Scope) []harnesses.ServerFile {
	if scope == harnesses.Project {
		return nil
	}
	return []harnesses.ServerFile{{
		Path: filepath.Join(dir(env), "mcp_config.json"), Format: harnesses.JSONC, Tables: [][]string{{"mcpServers"}},
		Form: harnesses.Form{Env: "env", URL: "serverUrl", Headers: "headers", Kept: []string{"oauth"}},
	}}
}
