// Package clinecli is all that wsi knows of Cline CLI besides its dialect, measured on 3.0.65.
package clinecli

import (
	"path/filepath"

	"wsi/harnesses/clinecli"
	"wsi/harnesses/setup"
)

func plain() setup.Plain {
	return setup.Plain{
		ID: clinecli.ID, Name: "Cline CLI", Binary: "cline", MovedBy: "CLINE_DIR", Measured: []string{"3.0.65"},
		Dir:  func(env setup.Env) string { return filepath.Join(env.Home, ".cline") },
		User: []string{"data/settings/cline_mcp_settings.json"}, Format: setup.JSON, Table: "mcpServers",
		Form:    setup.Form{Env: "env", URL: "url", Headers: "headers", Local: "stdio", Remote: "streamableHttp"},
		Why:     "it keeps the value from the model, to which Cline CLI shows all of a result",
		Caveats: []string{"Cline CLI does not tell servers who calls, so all agents of a session share one value."},
	}
}

// Harness returns what wsi knows of Cline CLI.
func Harness() setup.Harness {
	h := plain().Harness()
	h.Wiring, h.Files.Modules, h.Hooks.Order = setup.Older(older), scripts, order
	h.Dialect = clinecli.Dialect()
	return h
}
