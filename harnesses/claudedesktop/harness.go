// Package claudedesktop is all that wsi knows of Claude Desktop, read in the MCP documentation of
// 2026-11. Nothing of it was tried with the program. It has no hooks.
package claudedesktop

import (
	"path/filepath"

	"wsi/harnesses"
)

// ID names the harness on command lines.
const ID = "claude-desktop"

// Harness returns what wsi knows of Claude Desktop. Its folder is not documented for Linux; builds of
// others have it there. In the file it has servers that it starts; those over HTTP are connectors of the
// user's account.
func Harness() harnesses.Harness {
	h := harnesses.Plain{
		ID: ID, Name: "Claude Desktop",
		Dir:  func(env harnesses.Env) string { return filepath.Join(env.AppConfig(), "Claude") },
		User: []string{"claude_desktop_config.json"}, Format: harnesses.JSON, Table: "mcpServers",
		Form: harnesses.Form{Env: "env"},
		Why:  "it has no hooks",
		Caveats: []string{
			"Not yet tried: what wsi knows of Claude Desktop comes from its documentation.",
			"Claude Desktop says nothing of who calls, so that all its conversations are one to wsi.",
		},
	}.Harness()
	h.Afterwards = []string{"Claude Desktop starts its servers when it starts: quit it and open it again, its window alone is not enough."}
	return h
}
