// Package clinecli is all that wsi knows of Cline CLI, measured on 3.0.65.
package clinecli

import (
	"path/filepath"

	"wsi/harnesses"
)

// ID names the harness on command lines.
const ID = "cline-cli"

// Harness returns what wsi knows of Cline CLI.
func Harness() harnesses.Harness {
	return harnesses.Harness{
		ID: ID, Name: "Cline CLI",
		Find: find, Wiring: harnesses.NoHooks, Registers: registers, Dialect: Dialect{}, Measured: []string{"3.0.65"},
		Choices: []harnesses.Choice{{
			Way: harnesses.ByRelay, Why: "its hooks are programs of fixed names, which others may have taken, and it shows the model all of a result, the value included",
		}},
		Caveats: []string{"Cline CLI says nothing of who calls, so that all agents of a session are one to wsi."},
	}
}

func dir(env harnesses.Env) string { return filepath.Join(env.Home, ".cline") }

func find(env harnesses.Env) (harnesses.Presence, error) {
	p := env.Locate("cline", "", dir(env))
	var err error
	p.Servers, err = env.Registered(registers(env, harnesses.User))
	return p, err
}

func registers(env harnesses.Env, scope harnesses.Scope) []harnesses.ServerFile {
	if scope == harnesses.Project {
		return nil
	}
	return []harnesses.ServerFile{{
		Path: filepath.Join(dir(env), "data", "settings", "cline_mcp_settings.json"), Format: harnesses.JSON,
		Tables: [][]string{{"mcpServers"}},
		Form:   harnesses.Form{Env: "env", URL: "url", Headers: "headers", Local: "stdio", Remote: "streamableHttp"},
	}}
}
