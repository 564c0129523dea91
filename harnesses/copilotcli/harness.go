// Package copilotcli is all that wsi knows of GitHub Copilot CLI, measured on 1.0.102.
package copilotcli

import (
	"path/filepath"

	"wsi/harnesses"
)

// ID names the harness on command lines.
const ID = "copilot-cli"

// Harness returns what wsi knows of Copilot CLI.
func Harness() harnesses.Harness {
	return harnesses.Harness{
		ID: ID, Name: "Copilot CLI",
		Find: find, Wiring: harnesses.NoHooks, Registers: registers, Dialect: Dialect{}, Measured: []string{"1.0.102"},
		Choices: []harnesses.Choice{{
			Way: harnesses.ByRelay, Why: "it denies the call if a hook before it fails, and shows hooks of a result its text alone",
		}},
		Caveats: []string{"Which of Copilot CLI's sub-agents calls is not on the wire: that was not tried."},
	}
}

func locate(env harnesses.Env) harnesses.Presence {
	return env.Locate("copilot", "COPILOT_HOME", filepath.Join(env.Home, ".copilot"))
}

func find(env harnesses.Env) (harnesses.Presence, error) {
	p := locate(env)
	var err error
	p.Servers, err = env.Registered(append(registers(env, harnesses.User), registers(env, harnesses.Project)...))
	return p, err
}

// registers: a project's .mcp.json, which it reads as well (documentation of 2026-11), is Claude Code's
// to wrap: one registration has one name of a harness in it.
func registers(env harnesses.Env, scope harnesses.Scope) []harnesses.ServerFile {
	path := filepath.Join(locate(env).ConfigHome, "mcp-config.json")
	if scope == harnesses.Project {
		path = filepath.Join(env.Cwd, ".github", "mcp.json")
	}
	return []harnesses.ServerFile{{
		Path: path, Format: harnesses.JSON, Tables: [][]string{{"mcpServers"}},
		Form: harnesses.Form{Env: "env", URL: "url", Headers: "headers", Local: "local", Remote: "http", Kept: []string{"oauth"}},
	}}
}
