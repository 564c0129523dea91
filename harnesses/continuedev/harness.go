// Package continuedev is all that wsi knows of Continue, read in its documentation of 2026-11. Nothing of
// it was tried with the program. Its tools run no hooks.
package continuedev

import (
	"path/filepath"

	"wsi/harnesses"
)

// ID names the harness on command lines.
const ID = "continue"

// Harness returns what wsi knows of Continue.
func Harness() harnesses.Harness {
	return harnesses.Harness{
		ID: ID, Name: "Continue",
		Find: find, Wiring: harnesses.NoHooks, Registers: registers,
		Choices: []harnesses.Choice{{Way: harnesses.ByRelay, Why: "it runs no hooks before its tools"}},
		Caveats: []string{
			"Not yet tried: what wsi knows of Continue comes from its documentation.",
			"Continue says nothing of who calls, so that all its conversations are one to wsi.",
		},
	}
}

// dir is the same on every system.
func dir(env harnesses.Env) string { return filepath.Join(env.Home, ".continue") }

func find(env harnesses.Env) (harnesses.Presence, error) {
	p := env.Locate("cn", "CONTINUE_GLOBAL_DIR", dir(env))
	var err error
	p.Servers, err = env.Registered(append(registers(env, harnesses.User), registers(env, harnesses.Project)...))
	return p, err
}

// registers: the folder mcpServers may have files of any name, in YAML or as other harnesses have them;
// its documentation names mcp.json. That the user's own folder has one, too, is others' report.
func registers(env harnesses.Env, scope harnesses.Scope) []harnesses.ServerFile {
	base := env.Locate("", "CONTINUE_GLOBAL_DIR", dir(env)).ConfigHome
	if scope == harnesses.Project {
		base = filepath.Join(env.Cwd, ".continue")
	}
	files := []harnesses.ServerFile{{
		Path: filepath.Join(base, "mcpServers", "mcp.json"), Format: harnesses.JSONC, Tables: [][]string{{"mcpServers"}},
		Form: harnesses.Form{Env: "env", URL: "url", Headers: "headers", Local: "stdio", Remote: "streamable-http"},
	}}
	if scope == harnesses.User {
		files = append(files, harnesses.ServerFile{Path: filepath.Join(base, "config.yaml"), Format: harnesses.YAML})
	}
	return files
}
