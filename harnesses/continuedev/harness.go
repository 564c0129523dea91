// Package continuedev is all that wsi knows of Continue, read in its documentation of 2026-11. Nothing of
// it was tried with the program. Its tools run no hooks.
package continuedev

import (
	"path/filepath"

	"wsi/harnesses"
)

// ID names the harness on command lines.
const ID = "continue"

// Harness returns what wsi knows of Continue. Its folder is the same on every system. The folder mcpServers
// in it may have files of any name, in YAML or as other harnesses have them; its documentation names
// mcp.json. That the user's own folder has one, too, is others' report.
func Harness() harnesses.Harness {
	return harnesses.Plain{
		ID: ID, Name: "Continue", Binary: "cn", MovedBy: "CONTINUE_GLOBAL_DIR",
		Dir:  func(env harnesses.Env) string { return filepath.Join(env.Home, ".continue") },
		User: []string{"mcpServers/mcp.json", "config.yaml"}, Project: []string{".continue/mcpServers/mcp.json"},
		Format: harnesses.JSONC, Table: "mcpServers",
		Form: harnesses.Form{Env: "env", URL: "url", Headers: "headers", Local: "stdio", Remote: "streamable-http"},
		Why:  "it runs no hooks before its tools",
		Caveats: []string{
			"Not yet tried: what wsi knows of Continue comes from its documentation.",
			"Continue says nothing of who calls, so that all its conversations are one to wsi.",
		},
	}.Harness()
}
