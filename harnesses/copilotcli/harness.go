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
		Find: find, Wiring: wiring, Registers: registers, Dialect: Dialect{}, Twin: Twin{}, Measured: []string{"1.0.102"},
		First: harnesses.ByRelay,
		Choices: []harnesses.Choice{
			{Way: harnesses.ByRelay, Why: "it sees all of a result, also of one that is an error, and a wsi that is gone is noticed at once"},
			{Way: harnesses.ByHooks, Why: "the server stays registered as it is; of a result they see the text alone, and if one of them cannot be run the call is denied"},
		},
		Caveats: []string{"Copilot CLI tells servers nothing of which agent calls, so that all agents of a session are one to wsi."},
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
