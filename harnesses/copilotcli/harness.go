// Package copilotcli is all that wsi knows of GitHub Copilot CLI, measured on 1.0.102.
package copilotcli

import (
	"path/filepath"

	"wsi/harnesses"
)

// ID names the harness on command lines.
const ID = "copilot-cli"

// plain leaves out a project's .mcp.json, which Copilot CLI reads as well (documentation of 2026-11): a registration names
// one harness, and there it is Claude Code.
func plain() harnesses.Plain {
	return harnesses.Plain{
		ID: ID, Name: "Copilot CLI", Binary: "copilot", MovedBy: "COPILOT_HOME", Measured: []string{"1.0.102"},
		Dir:  func(env harnesses.Env) string { return filepath.Join(env.Home, ".copilot") },
		User: []string{"mcp-config.json"}, Project: []string{".github/mcp.json"}, Format: harnesses.JSON, Table: "mcpServers",
		Form:    harnesses.Form{Env: "env", URL: "url", Headers: "headers", Local: "local", Remote: "http", Kept: []string{"oauth"}},
		Agreed:  func(env harnesses.Env) bool { ok, err := trusted(env); return ok && err == nil },
		Why:     "it sees all of a result, also of one that is an error, and a wsi that is gone is noticed at once",
		Caveats: []string{"Copilot CLI does not tell servers which agent calls, so behind a relay all agents of a session share one value."},
	}
}

// Harness returns what wsi knows of Copilot CLI.
func Harness() harnesses.Harness {
	h := plain().Harness()
	h.First = harnesses.ByRelay
	h.Choices = append(h.Choices, harnesses.Choice{
		Mode: harnesses.ByHooks, Why: "the server stays registered as it is, and agents are told apart; but of a result they see the text alone, and if one of them cannot be run the call is denied",
	})
	h.Wiring, h.Policy, h.Codec, h.Simulator = wiring, policy, Codec{}, Simulator{}
	h.Plugins, h.Skips, h.Matches = hookFiles, skips, matches
	h.KeepsIDs, h.MarksCompactions = true, true
	h.Capabilities = harnesses.Capabilities{Deny: Codec{}.Deny, Remind: Codec{}.Remind, SessionVariable: "COPILOT_AGENT_SESSION_ID"}
	return h
}
