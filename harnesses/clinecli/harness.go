// Package clinecli is all that wsi knows of Cline CLI, measured on 3.0.65.
package clinecli

import (
	"path/filepath"

	"wsi/harnesses"
)

// ID names the harness on command lines.
const ID = "cline-cli"

func plain() harnesses.Plain {
	return harnesses.Plain{
		ID: ID, Name: "Cline CLI", Binary: "cline", MovedBy: "CLINE_DIR", Measured: []string{"3.0.65"},
		Dir:  func(env harnesses.Env) string { return filepath.Join(env.Home, ".cline") },
		User: []string{"data/settings/cline_mcp_settings.json"}, Format: harnesses.JSON, Table: "mcpServers",
		Form:    harnesses.Form{Env: "env", URL: "url", Headers: "headers", Local: "stdio", Remote: "streamableHttp"},
		Why:     "it keeps the value from the model, to which Cline CLI shows all of a result",
		Caveats: []string{"Cline CLI does not tell servers who calls, so behind a relay all agents of a session share one value."},
	}
}

// Harness returns what wsi knows of Cline CLI.
func Harness() harnesses.Harness {
	h := plain().Harness()
	h.First = harnesses.ByRelay
	h.Choices = append(h.Choices, harnesses.Choice{
		Mode: harnesses.ByHooks, Why: "the server stays registered as it is, and sessions and agents are told apart; but the model sees the value in each result, and hooks run with every tool",
	})
	h.Wiring, h.Codec, h.Simulator = wiring, Codec{}, Simulator{}
	h.Modules, h.HookOrder = scripts, order
	return h
}
