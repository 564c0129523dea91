// Package claudedesktop is all that wsi knows of Claude Desktop, read in the MCP documentation of
// 2026-11. Nothing of it was tried with the program. It has no hooks.
package claudedesktop

import (
	"path/filepath"

	"wsi/harnesses"
)

// ID names the harness on command lines.
const ID = "claude-desktop"

// Harness returns what wsi knows of Claude Desktop.
func Harness() harnesses.Harness {
	return harnesses.Harness{
		ID: ID, Name: "Claude Desktop",
		Find: find, Wiring: harnesses.NoHooks, Registers: registers,
		Choices: []harnesses.Choice{{Way: harnesses.ByRelay, Why: "it has no hooks"}},
		Caveats: []string{
			"Not yet tried: what wsi knows of Claude Desktop comes from its documentation.",
			"Claude Desktop starts its servers when it starts: quit it and open it again, its window alone is not enough.",
			"Claude Desktop says nothing of who calls, so that all its conversations are one to wsi.",
		},
	}
}

// dir is not documented for Linux; builds of others have it there.
func dir(env harnesses.Env) string { return filepath.Join(env.AppConfig(), "Claude") }

func find(env harnesses.Env) (harnesses.Presence, error) {
	p := env.Locate("", "", dir(env))
	var err error
	p.Servers, err = env.Registered(registers(env, harnesses.User))
	return p, err
}

// registers: it starts servers only. Those over HTTP are connectors of the user's account.
func registers(env harnesses.Env, scope harnesses.Scope) []harnesses.ServerFile {
	if scope == harnesses.Project {
		return nil
	}
	return []harnesses.ServerFile{{
		Path: filepath.Join(dir(env), "claude_desktop_config.json"), Format: harnesses.JSON,
		Tables: [][]string{{"mcpServers"}}, Form: harnesses.Form{Env: "env"},
	}}
}
