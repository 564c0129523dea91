// Package qwencode is all that wsi knows of Qwen Code, measured on 0.24.4.
package qwencode

import (
	"path/filepath"

	"wsi/harnesses"
)

// ID names the harness on command lines.
const ID = "qwen-code"

// plain: no variable is known that moves its folder. Under url it has servers over HTTP+SSE. settings.local.json is of its
// documentation (1.x) and was not tried. 0.15.10 sets no session variable.
func plain() harnesses.Plain {
	return harnesses.Plain{
		ID: ID, Name: "Qwen Code", Binary: "qwen", Measured: []string{"0.24.4"}, Dir: dir,
		User: []string{"settings.json"}, Project: []string{".qwen/settings.json", ".qwen/settings.local.json"},
		Format: harnesses.JSONC, Table: "mcpServers",
		Form: harnesses.Form{
			Env: "env", URL: "httpUrl", Headers: "headers", Local: "stdio", Remote: "http",
			Kept: []string{"url", "tcp", "oauth", "authProviderType"},
		},
		Capabilities: harnesses.Capabilities{SessionVariable: "QWEN_CODE_SESSION_ID"},
		Why:          "it ignores the arguments that a hook changes, and checks required ones before any hook runs",
		Caveats: []string{
			"Qwen Code does not tell servers which agent calls, so all agents of a session share one value.",
			// 0.24.4 in a terminal: the session's id changes, the server's process and its environment stay.
			"After /clear, Qwen Code keeps the server of the conversation before, and wsi cannot tell the two apart: restart Qwen Code instead.",
		},
	}
}

func dir(env harnesses.Env) string { return filepath.Join(env.Home, ".qwen") }

// Harness returns what wsi knows of Qwen Code. Its hooks carry nothing: they tell the relay of compactions.
func Harness() harnesses.Harness {
	h := plain().Harness()
	h.MarksCompactions = true
	h.Wiring, h.Reads, h.Policy, h.Matches = wiring, reads, policy, matches
	h.Managed, h.Plugins, h.Skips, h.HookOrder = managed, extensions, skips, order
	h.Codec, h.Simulator = Codec{}, Simulator{}
	return h
}
