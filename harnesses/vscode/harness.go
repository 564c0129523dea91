// Package vscode is all that wsi knows of VS Code's own agent, read in its documentation of 2026-11.
// Nothing of it was tried with the program. Its hooks were a preview then.
package vscode

import (
	"path/filepath"

	"wsi/harnesses"
)

// ID names the harness on command lines.
const ID = "vscode"

// Harness returns what wsi knows of VS Code.
func Harness() harnesses.Harness {
	return harnesses.Harness{
		ID: ID, Name: "VS Code",
		Find: find, Wiring: harnesses.NoHooks, Registers: registers,
		Choices: []harnesses.Choice{{Way: harnesses.ByRelay, Why: "what its hooks, a preview, see of a result is not documented"}},
		Caveats: []string{
			"Not yet tried: what wsi knows of VS Code comes from its documentation.",
			"wsi sees to VS Code's default profile; other profiles have servers of their own.",
			"VS Code says nothing of who calls, so that all chats of a window are one to wsi.",
		},
	}
}

func dir(env harnesses.Env) string { return filepath.Join(env.AppConfig(), "Code", "User") }

func find(env harnesses.Env) (harnesses.Presence, error) {
	p := env.Locate("code", "", dir(env))
	var err error
	p.Servers, err = env.Registered(append(registers(env, harnesses.User), registers(env, harnesses.Project)...))
	return p, err
}

func registers(env harnesses.Env, scope harnesses.Scope) []harnesses.ServerFile {
	path := filepath.Join(dir(env), "mcp.json")
	if scope == harnesses.Project {
		path = filepath.Join(env.Cwd, ".vscode", "mcp.json")
	}
	return []harnesses.ServerFile{{
		Path: path, Format: harnesses.JSONC, Tables: [][]string{{"servers"}},
		Form: harnesses.Form{Env: "env", URL: "url", Headers: "headers", Local: "stdio", Remote: "http", Kept: []string{"oauth"}},
	}}
}
