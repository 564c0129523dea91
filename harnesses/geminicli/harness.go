// Package geminicli is all that wsi knows of Gemini CLI, measured on 0.61.0.
package geminicli

import (
	"path/filepath"

	"wsi/harnesses"
)

// ID names the harness on command lines.
const ID = "gemini-cli"

// Harness returns what wsi knows of Gemini CLI.
func Harness() harnesses.Harness {
	return harnesses.Harness{
		ID: ID, Name: "Gemini CLI",
		Find: find, Wiring: harnesses.NoHooks, Registers: registers, Dialect: Dialect{}, Measured: []string{"0.61.0"},
		Choices: []harnesses.Choice{{
			Way: harnesses.ByRelay, Why: "it refuses a call without a required value before any hook runs, and shows hooks of a result its text alone",
		}},
		Caveats: []string{"Gemini CLI says nothing of who calls, so that all agents of a session are one to wsi."},
	}
}

// No variable is known that moves Gemini CLI's folder.
func dir(env harnesses.Env) string { return filepath.Join(env.Home, ".gemini") }

func find(env harnesses.Env) (harnesses.Presence, error) {
	p := env.Locate("gemini", "", dir(env))
	var err error
	p.Servers, err = env.Registered(append(registers(env, harnesses.User), registers(env, harnesses.Project)...))
	return p, err
}

// registers: under url it has servers over HTTP+SSE.
func registers(env harnesses.Env, scope harnesses.Scope) []harnesses.ServerFile {
	path := filepath.Join(dir(env), "settings.json")
	if scope == harnesses.Project {
		path = filepath.Join(env.Cwd, ".gemini", "settings.json")
	}
	return []harnesses.ServerFile{{
		Path: path, Format: harnesses.JSONC, Tables: [][]string{{"mcpServers"}},
		Form: harnesses.Form{
			Env: "env", URL: "httpUrl", Headers: "headers", Local: "stdio", Remote: "http",
			Kept: []string{"url", "tcp", "oauth", "authProviderType"},
		},
	}}
}
