// Package roocode is all that wsi knows of Roo Code, read in its documentation of 2026-11. Nothing of it
// was tried with the program. It has no hooks.
package roocode

import (
	"path/filepath"

	"wsi/harnesses"
)

// ID names the harness on command lines.
const ID = "roo-code"

// Harness returns what wsi knows of Roo Code.
func Harness() harnesses.Harness {
	return harnesses.Harness{
		ID: ID, Name: "Roo Code",
		Find: find, Wiring: harnesses.NoHooks, Registers: registers,
		Choices: []harnesses.Choice{{Way: harnesses.ByRelay, Why: "it has no hooks"}},
		Caveats: []string{
			"Not yet tried: what wsi knows of Roo Code comes from its documentation.",
			"wsi looks for Roo Code in VS Code only, not in editors built from it.",
			"Roo Code says nothing of who calls, so that all tasks of a window are one to wsi.",
		},
	}
}

// dir is where VS Code keeps what the extension stores (others' reports).
func dir(env harnesses.Env) string {
	return filepath.Join(env.AppConfig(), "Code", "User", "globalStorage", "rooveterinaryinc.roo-cline")
}

func find(env harnesses.Env) (harnesses.Presence, error) {
	p := env.Locate("", "", dir(env))
	var err error
	p.Servers, err = env.Registered(append(registers(env, harnesses.User), registers(env, harnesses.Project)...))
	return p, err
}

// registers: of two servers of the same name, the project's counts.
func registers(env harnesses.Env, scope harnesses.Scope) []harnesses.ServerFile {
	path := filepath.Join(dir(env), "settings", "mcp_settings.json")
	if scope == harnesses.Project {
		path = filepath.Join(env.Cwd, ".roo", "mcp.json")
	}
	return []harnesses.ServerFile{{
		Path: path, Format: harnesses.JSONC, Tables: [][]string{{"mcpServers"}},
		Form: harnesses.Form{Env: "env", URL: "url", Headers: "headers", Local: "stdio", Remote: "streamable-http"},
	}}
}
