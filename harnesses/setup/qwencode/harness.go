// Package qwencode is all that wsi knows of Qwen Code besides its dialect, measured on 0.24.4.
package qwencode

import (
	"path/filepath"

	"wsi/harnesses/qwencode"
	"wsi/harnesses/setup"
)

// plain: no variable is known that moves its folder. Under url it has servers over HTTP+SSE. settings.local.json is of its
// documentation (1.x) and was not tried.
func plain() setup.Plain {
	return setup.Plain{
		ID: qwencode.ID, Name: "Qwen Code", Binary: "qwen", Measured: []string{"0.24.4"}, Dir: dir,
		User: []string{"settings.json"}, Project: []string{".qwen/settings.json", ".qwen/settings.local.json"},
		Format: setup.JSONC, Table: "mcpServers",
		Form: setup.Form{
			Env: "env", URL: "httpUrl", Headers: "headers", Local: "stdio", Remote: "http",
			Kept: []string{"url", "tcp", "oauth", "authProviderType"},
		},
		Why: "it ignores the arguments that a hook changes, and checks required ones before any hook runs",
		Caveats: []string{
			"Qwen Code does not tell servers which agent calls, so all agents of a session share one value.",
			// 0.24.4 in a terminal: the session's id changes, the server's process and its environment stay.
			"After /clear, Qwen Code keeps the server of the conversation before, and wsi cannot tell the two apart: restart Qwen Code instead.",
		},
	}
}

func dir(env setup.Env) string { return filepath.Join(env.Home, ".qwen") }

// Harness returns what wsi knows of Qwen Code.
func Harness() setup.Harness {
	h := plain().Harness()
	h.Wiring, h.Files.Reads, h.Hooks.Matches = setup.Older(older), reads, matches
	h.Files.Managed, h.Files.Plugins, h.Hooks.Skips, h.Hooks.Order = managed, extensions, skips, order
	h.Dialect = qwencode.Dialect()
	return h
}
