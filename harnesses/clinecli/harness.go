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
	h := harnesses.Plain{
		ID: ID, Name: "Cline CLI", Binary: "cline", Measured: []string{"3.0.65"},
		Dir:  func(env harnesses.Env) string { return filepath.Join(env.Home, ".cline") },
		User: []string{"data/settings/cline_mcp_settings.json"}, Format: harnesses.JSON, Table: "mcpServers",
		Form:    harnesses.Form{Env: "env", URL: "url", Headers: "headers", Local: "stdio", Remote: "streamableHttp"},
		Why:     "its hooks are programs of fixed names, which others may have taken, and it shows the model all of a result, the value included",
		Caveats: []string{"Cline CLI says nothing of who calls, so that all agents of a session are one to wsi."},
	}.Harness()
	h.Dialect = Dialect{}
	return h
}
