// Package geminicli is all that wsi knows of Gemini CLI, measured on 0.61.0.
package geminicli

import (
	"cmp"
	"path/filepath"
	"strings"

	"wsi/harnesses"
)

// ID names the harness on command lines.
const ID = "gemini-cli"

// plain keeps url: under that key Gemini CLI has servers over HTTP+SSE.
func plain() harnesses.Plain {
	return harnesses.Plain{
		ID: ID, Name: "Gemini CLI", Binary: "gemini", Measured: []string{"0.61.0"}, Dir: dir,
		User: []string{"settings.json"}, Project: []string{".gemini/settings.json"}, Format: harnesses.JSONC, Table: "mcpServers",
		Form: harnesses.Form{
			Env: "env", URL: "httpUrl", Headers: "headers", Local: "stdio", Remote: "http",
			Kept: []string{"url", "tcp", "oauth", "authProviderType"},
		},
		Agreed:  func(env harnesses.Env) bool { return strings.HasPrefix(trust(env), "TRUST_") },
		Why:     "it sees all of a result and keeps the value from the model, which need not type any; Gemini CLI refuses a call without a required value before any hook runs",
		Caveats: []string{"Gemini CLI tells neither servers nor hooks which agent calls, so all agents of a session share one value."},
	}
}

// dir returns the folder below GEMINI_CLI_HOME, which replaces the home folder.
func dir(env harnesses.Env) string {
	return filepath.Join(cmp.Or(env.Getenv("GEMINI_CLI_HOME"), env.Home), ".gemini")
}

// Harness returns what wsi knows of Gemini CLI.
func Harness() harnesses.Harness {
	h := plain().Harness()
	h.First, h.Find = harnesses.ByRelay, find
	h.Choices = append(h.Choices, harnesses.Choice{
		Mode: harnesses.ByHooks, Why: "the server stays registered as it is, and a resumed session has its value; but where a value is required the model must type some, of most results hooks see the text alone, and if one of them cannot be run the call is denied",
	})
	h.Wiring, h.Validate, h.Reads, h.Managed, h.Policy, h.Matches = wiring, validate, reads, managed, policy, matches
	h.Dedupes = func(a, b string) bool { return a == b }
	h.Plugins, h.Skips, h.HookOrder = extensions, skips, order
	h.PluginRemover = "gemini extensions uninstall" // geminicli.com/docs/extensions/reference, 2026-11
	h.Codec, h.Simulator = Codec{}, Simulator{}
	// A sub-agent's events are like the main agent's, session and transcript included.
	h.Capabilities = harnesses.Capabilities{Deny: Codec{}.Deny, OmitsAgent: true}
	return h
}

// find blocks all servers in a folder that the user does not trust: Gemini CLI starts none there (0.61.0).
func find(env harnesses.Env) (harnesses.Presence, error) {
	p, err := plain().Harness().Find(env)
	for i := range p.Servers {
		if trust(env) == distrust && asks(env) {
			p.Servers[i].Blocked = "is not started, because you do not trust " + env.Cwd
			p.Servers[i].Remedy = trustHere
		}
	}
	return p, err
}
