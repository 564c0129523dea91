// Package qwencode is all that wsi knows of Qwen Code, measured on 0.24.4 with a relay. Its hooks cannot
// change the arguments of a call.
package qwencode

import (
	"path/filepath"

	"wsi/harnesses"
)

// ID names the harness on command lines.
const ID = "qwen-code"

// Harness returns what wsi knows of Qwen Code. No variable is known that moves its folder. Under url it has
// servers over HTTP+SSE. settings.local.json is of its documentation of 2026-11 (1.x) and was not tried.
func Harness() harnesses.Harness {
	h := harnesses.Plain{
		ID: ID, Name: "Qwen Code", Binary: "qwen", Measured: []string{"0.24.4"},
		Dir:  func(env harnesses.Env) string { return filepath.Join(env.Home, ".qwen") },
		User: []string{"settings.json"}, Project: []string{".qwen/settings.json", ".qwen/settings.local.json"},
		Format: harnesses.JSONC, Table: "mcpServers",
		Form: harnesses.Form{
			Env: "env", URL: "httpUrl", Headers: "headers", Local: "stdio", Remote: "http",
			Kept: []string{"url", "tcp", "oauth", "authProviderType"},
		},
		Why: "it ignores the arguments that a hook changes, and checks required ones before any hook runs",
		Caveats: []string{
			"Qwen Code says nothing of which agent calls, so that all agents of a session are one to wsi.",
			// 0.24.4 in a terminal: the session's id changes, the server's process and its environment stay.
			"After /clear Qwen Code keeps the server that it has started for the conversation before, and wsi takes the two for one: start Qwen Code anew instead.",
		},
	}.Harness()
	h.Capabilities.SessionVariable = "QWEN_CODE_SESSION_ID" // 0.15.10 sets none
	return h
}
