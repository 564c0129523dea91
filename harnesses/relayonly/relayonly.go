// Package relayonly is all that wsi knows of the harnesses without hooks that could carry a value: one row of a
// table for each. A row without Measured comes from the harness's documentation of 2026-11 and was not tried.
//
// It must not know how files are written, or any harness with hooks.
package relayonly

import (
	"path/filepath"

	"wsi/harnesses"
)

// All returns the harnesses of the table, in the order in which they are shown.
func All() []harnesses.Harness {
	all := make([]harnesses.Harness, 0, len(table))
	for i := range table {
		all = append(all, harness(&table[i]))
	}
	return all
}

// Get returns one of them by its id.
func Get(id string) (harnesses.Harness, bool) {
	for i := range table {
		if table[i].ID == id {
			return harness(&table[i]), true
		}
	}
	return harnesses.Harness{}, false
}

// Harnesses whose hooks wsi lists.
const (
	vscode   = "vscode"
	windsurf = "windsurf"
)

// harness returns the harness of a row, with the hooks that wsi only lists.
func harness(row *harnesses.Plain) harnesses.Harness {
	h := row.Harness()
	switch h.ID {
	case vscode:
		h.Plugins = vscodeHookFiles
	case windsurf:
		h.Plugins = windsurfHookFiles
	}
	return h
}

// The table holds only constants and functions, so that its initialization costs the hook nothing.
var table = []harnesses.Plain{
	{
		// On Linux its folder is not documented; unofficial builds use this one. The file registers only servers that it
		// starts: those over HTTP are connectors of the user's account.
		ID: "claude-desktop", Name: "Claude Desktop",
		Dir:  func(env harnesses.Env) string { return filepath.Join(env.AppConfig(), "Claude") },
		User: []string{"claude_desktop_config.json"}, Format: harnesses.JSON, Table: "mcpServers",
		Form: harnesses.Form{Env: "env"},
		Why:  "it has no hooks",
		Afterwards: []string{
			"Claude Desktop starts its servers when it starts: quit it and open it again. To close its window is not enough.",
		},
		Caveats: []string{
			"Not yet tried: what wsi knows of Claude Desktop comes from its documentation.",
			"Claude Desktop does not tell servers who calls, so all its conversations share one value.",
		},
	},
	{
		// Its hooks were a preview.
		ID: vscode, Name: "VS Code", Binary: "code",
		Dir:  func(env harnesses.Env) string { return filepath.Join(env.AppConfig(), "Code", "User") },
		User: []string{"mcp.json"}, Project: []string{".vscode/mcp.json"}, Format: harnesses.JSONC, Table: "servers",
		Form: harnesses.Form{Env: "env", URL: "url", Headers: "headers", Local: "stdio", Remote: "http", Kept: []string{"oauth"}},
		Why:  "what its hooks, a preview, see of a result is not documented",
		Caveats: []string{
			"Not yet tried: what wsi knows of VS Code comes from its documentation.",
			"wsi registers the relay in VS Code's default profile only; other profiles have servers of their own.",
			"VS Code does not tell servers who calls, so all chats of a window share one value.",
		},
	},
	{
		// wsi refuses an older form of an entry, in which command is a table with path and args.
		ID: "zed", Name: "Zed", Binary: "zed", Dir: zedDir,
		User: []string{"settings.json"}, Project: []string{".zed/settings.json"}, Format: harnesses.JSONC, Table: "context_servers",
		Form: harnesses.Form{Env: "env", URL: "url", Headers: "headers", Kept: []string{"oauth", "settings"}},
		Why:  "it has no hooks",
		Caveats: []string{
			"Not yet tried: what wsi knows of Zed comes from its documentation.",
			"Zed does not tell servers who calls, so all threads of a window share one value.",
		},
	},
	{
		// Its folder is the same on every system.
		ID: windsurf, Name: "Windsurf", Binary: "windsurf",
		Dir:  func(env harnesses.Env) string { return filepath.Join(env.Home, ".codeium", "windsurf") },
		User: []string{"mcp_config.json"}, Format: harnesses.JSONC, Table: "mcpServers",
		Form: harnesses.Form{Env: "env", URL: "serverUrl", Headers: "headers", Kept: []string{"oauth"}},
		Why:  "its hooks can block a call, but not change it",
		Caveats: []string{
			"Not yet tried: what wsi knows of Windsurf comes from its documentation.",
			"Windsurf does not tell servers who calls, so all its conversations share one value.",
		},
	},
	{
		// Its folder is where VS Code keeps what the extension stores (reported by others). A project's server overrides
		// the user's of the same name.
		ID: "roo-code", Name: "Roo Code",
		Dir: func(env harnesses.Env) string {
			return filepath.Join(env.AppConfig(), "Code", "User", "globalStorage", "rooveterinaryinc.roo-cline")
		},
		User: []string{"settings/mcp_settings.json"}, Project: []string{".roo/mcp.json"}, Format: harnesses.JSONC, Table: "mcpServers",
		Form: harnesses.Form{Env: "env", URL: "url", Headers: "headers", Local: "stdio", Remote: "streamable-http"},
		Why:  "it has no hooks",
		Caveats: []string{
			"Not yet tried: what wsi knows of Roo Code comes from its documentation.",
			"wsi finds Roo Code in VS Code only, not in editors built from it.",
			"Roo Code does not tell servers who calls, so all tasks of a window share one value.",
		},
	},
	{
		// Its folder is the same on every system. The folder mcpServers in it may have files of any name, in YAML or in the
		// form of other harnesses; the documentation names mcp.json, in a project (reported by others: in the user's
		// folder as well).
		ID: "continue", Name: "Continue", Binary: "cn", MovedBy: "CONTINUE_GLOBAL_DIR",
		Dir:  func(env harnesses.Env) string { return filepath.Join(env.Home, ".continue") },
		User: []string{"mcpServers/mcp.json", "config.yaml"}, Project: []string{".continue/mcpServers/mcp.json"},
		Format: harnesses.JSONC, Table: "mcpServers",
		Form: harnesses.Form{Env: "env", URL: "url", Headers: "headers", Local: "stdio", Remote: "streamable-http"},
		Why:  "it runs no hooks before its tools",
		Caveats: []string{
			"Not yet tried: what wsi knows of Continue comes from its documentation.",
			"Continue does not tell servers who calls, so all its conversations share one value.",
		},
	},
}

// zedDir is the same on Linux and macOS.
func zedDir(env harnesses.Env) string {
	return env.ByOS(
		filepath.Join(env.AppConfig(), "zed"),
		filepath.Join(env.Home, ".config", "zed"),
		filepath.Join(env.AppConfig(), "Zed"),
	)
}
