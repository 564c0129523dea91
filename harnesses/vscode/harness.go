// Package vscode is all that wsi knows of VS Code's own agent, read in its documentation of 2026-11.
// Nothing of it was tried with the program. Its hooks were a preview then.
package vscode

import (
	"path/filepath"

	"wsi/harnesses"
)

// ID names the harness on command lines.
const ID = "vscode"

// Harness returns what wsi knows of VS Code.
func Harness() harnesses.Harness {
	return harnesses.Plain{
		ID: ID, Name: "VS Code", Binary: "code",
		Dir:  func(env harnesses.Env) string { return filepath.Join(env.AppConfig(), "Code", "User") },
		User: []string{"mcp.json"}, Project: []string{".vscode/mcp.json"}, Format: harnesses.JSONC, Table: "servers",
		Form: harnesses.Form{Env: "env", URL: "url", Headers: "headers", Local: "stdio", Remote: "http", Kept: []string{"oauth"}},
		Why:  "what its hooks, a preview, see of a result is not documented",
		Caveats: []string{
			"Not yet tried: what wsi knows of VS Code comes from its documentation.",
			"wsi sees to VS Code's default profile; other profiles have servers of their own.",
			"VS Code says nothing of who calls, so that all chats of a window are one to wsi.",
		},
	}.Harness()
}
