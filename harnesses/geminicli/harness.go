// Package geminicli is all that wsi knows of Gemini CLI, measured on 0.61.0.
package geminicli

import (
	"path/filepath"

	"wsi/harnesses"
)

// ID names the harness on command lines.
const ID = "gemini-cli"

// Harness returns what wsi knows of Gemini CLI. No variable is known that moves its folder. Under url it
// has servers over HTTP+SSE.
func Harness() harnesses.Harness {
	h := harnesses.Plain{
		ID: ID, Name: "Gemini CLI", Binary: "gemini", Measured: []string{"0.61.0"},
		Dir:  func(env harnesses.Env) string { return filepath.Join(env.Home, ".gemini") },
		User: []string{"settings.json"}, Project: []string{".gemini/settings.json"}, Format: harnesses.JSONC, Table: "mcpServers",
		Form: harnesses.Form{
			Env: "env", URL: "httpUrl", Headers: "headers", Local: "stdio", Remote: "http",
			Kept: []string{"url", "tcp", "oauth", "authProviderType"},
		},
		Why:     "it refuses a call without a required value before any hook runs, and shows hooks of a result its text alone",
		Caveats: []string{"Gemini CLI says nothing of who calls, so that all agents of a session are one to wsi."},
	}.Harness()
	h.Dialect = Dialect{}
	return h
}
