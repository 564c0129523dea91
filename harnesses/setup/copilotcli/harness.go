// Package copilotcli is all that wsi knows of GitHub Copilot CLI besides its dialect, measured on 1.0.102.
package copilotcli

import (
	"path/filepath"

	"wsi/harnesses/copilotcli"
	"wsi/harnesses/setup"
)

// plain leaves out a project's .mcp.json, which Copilot CLI reads as well (documentation of 2026-11): a registration names
// one harness, and there it is Claude Code.
func plain() setup.Plain {
	return setup.Plain{
		ID: copilotcli.ID, Name: "Copilot CLI", Binary: "copilot", MovedBy: "COPILOT_HOME", Measured: []string{"1.0.102"},
		Dir:  func(env setup.Env) string { return filepath.Join(env.Home, ".copilot") },
		User: []string{"mcp-config.json"}, Project: []string{".github/mcp.json"}, Format: setup.JSON, Table: "mcpServers",
		Form:    setup.Form{Env: "env", URL: "url", Headers: "headers", Local: "local", Remote: "http", Kept: []string{"oauth"}},
		Agreed:  func(env setup.Env) bool { ok, err := trusted(env); return ok && err == nil },
		Why:     "it sees all of a result, also of one that is an error, and a wsi that is gone is noticed at once",
		Caveats: []string{"Copilot CLI does not tell servers which agent calls, so all agents of a session share one value."},
	}
}

// Harness returns what wsi knows of Copilot CLI.
func Harness() setup.Harness {
	h := plain().Harness()
	h.Wiring, h.Files.Plugins, h.Hooks.Skips, h.Hooks.Matches = setup.Older(older), hookFiles, skips, matches
	h.Dialect = copilotcli.Dialect()
	return h
}
