// Package roocode is all that wsi knows of Roo Code, read in its documentation of 2026-11. Nothing of it
// was tried with the program. It has no hooks.
package roocode

import (
	"path/filepath"

	"wsi/harnesses"
)

// ID names the harness on command lines.
const ID = "roo-code"

// Harness returns what wsi knows of Roo Code. Of two servers of the same name, the project's counts.
func Harness() harnesses.Harness {
	return harnesses.Plain{
		ID: ID, Name: "Roo Code", Dir: dir,
		User: []string{"settings/mcp_settings.json"}, Project: []string{".roo/mcp.json"}, Format: harnesses.JSONC, Table: "mcpServers",
		Form: harnesses.Form{Env: "env", URL: "url", Headers: "headers", Local: "stdio", Remote: "streamable-http"},
		Why:  "it has no hooks",
		Caveats: []string{
			"Not yet tried: what wsi knows of Roo Code comes from its documentation.",
			"wsi looks for Roo Code in VS Code only, not in editors built from it.",
			"Roo Code says nothing of who calls, so that all tasks of a window are one to wsi.",
		},
	}.Harness()
}

// dir is where VS Code keeps what the extension stores (others' reports).
func dir(env harnesses.Env) string {
	return filepath.Join(env.AppConfig(), "Code", "User", "globalStorage", "rooveterinaryinc.roo-cline")
}
