// Package windsurf is all that wsi knows of Windsurf, read in its documentation of 2026-11 and in what
// others report. Nothing of it was tried with the program. Its hooks can neither change arguments nor
// answer a call.
package windsurf

import (
	"path/filepath"

	"wsi/harnesses"
)

// ID names the harness on command lines.
const ID = "windsurf"

// Harness returns what wsi knows of Windsurf. Its folder is the same on every system.
func Harness() harnesses.Harness {
	return harnesses.Plain{
		ID: ID, Name: "Windsurf", Binary: "windsurf",
		Dir:  func(env harnesses.Env) string { return filepath.Join(env.Home, ".codeium", "windsurf") },
		User: []string{"mcp_config.json"}, Format: harnesses.JSONC, Table: "mcpServers",
		Form: harnesses.Form{Env: "env", URL: "serverUrl", Headers: "headers", Kept: []string{"oauth"}},
		Why:  "its hooks can block a call, but not change it",
		Caveats: []string{
			"Not yet tried: what wsi knows of Windsurf comes from its documentation.",
			"Windsurf says nothing of who calls, so that all its conversations are one to wsi.",
		},
	}.Harness()
}
