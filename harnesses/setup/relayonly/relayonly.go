// Package relayonly is all that wsi knows of the harnesses without hooks that could carry a value: one row of a
// table for each. A row without Measured comes from the harness's documentation of 2026-11 and was not tried.
//
// It must not know how files are written, or any harness with hooks.
package relayonly

import (
	"path/filepath"

	"wsi/harnesses/setup"
)

// All returns the harnesses of the table, in the order in which they are shown.
func All() []setup.Harness {
	all := make([]setup.Harness, 0, len(table))
	for i := range table {
		all = append(all, table[i].Harness())
	}
	return all
}

// The table holds only constants and functions, so that its initialization costs the hook nothing.
var table = []setup.Plain{
	{
		// On Linux its folder is not documented; unofficial builds use this one. The file registers only servers that it
		// starts: those over HTTP are connectors of the user's account.
		ID: "claude-desktop", Name: "Claude Desktop",
		Dir:  func(env setup.Env) string { return filepath.Join(env.AppConfig(), "Claude") },
		User: []string{"claude_desktop_config.json"}, Format: setup.JSON, Table: "mcpServers",
		Form: setup.Form{Env: "env"},
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
		ID: "vscode", Name: "VS Code", Binary: "code", Hooks: vscodeHookFiles, CommandIn: vscodeCommandIn,
		Dir:  func(env setup.Env) string { return filepath.Join(env.AppConfig(), "Code", "User") },
		User: []string{"mcp.json"}, Project: []string{".vscode/mcp.json"}, Format: setup.JSONC, Table: "servers",
		Form: setup.Form{Env: "env", URL: "url", Headers: "headers", Local: "stdio", Remote: "http", Kept: []string{"oauth"}},
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
		User: []string{"settings.json"}, Project: []string{".zed/settings.json"}, Format: setup.JSONC, Table: "context_servers",
		Form: setup.Form{Env: "env", URL: "url", Headers: "headers", Kept: []string{"oauth", "settings"}},
		Why:  "it has no hooks",
		Caveats: []string{
			"Not yet tried: what wsi knows of Zed comes from its documentation.",
			"Zed does not tell servers who calls, so all threads of a window share one value.",
		},
	},
	{
		// Its folder is the same on every system.
		ID: "windsurf", Name: "Windsurf", Binary: "windsurf", Hooks: windsurfHookFiles,
		Dir:  func(env setup.Env) string { return filepath.Join(env.Home, ".codeium", "windsurf") },
		User: []string{"mcp_config.json"}, Format: setup.JSONC, Table: "mcpServers",
		Form: setup.Form{Env: "env", URL: "serverUrl", Headers: "headers", Kept: []string{"oauth"}},
		Why:  "its hooks can block a call, but not change it",
		Caveats: []string{
			"Not yet tried: what wsi knows of Windsurf comes from its documentation.",
			"Windsurf does not tell servers who calls, so all its conversations share one value.",
		},
	},
}

func zedDir(env setup.Env) string {
	return env.ByOS(
		filepath.Join(env.AppConfig(), "zed"),
		filepath.Join(env.Home, ".config", "zed"),
		filepath.Join(env.AppConfig(), "Zed"),
	)
}

// Ended returns the harnesses that older versions of wsi set up and whose products have ended. Only wsi remove knows them.
func Ended() (all []setup.Harness) {
	form := setup.Form{Env: "env", URL: "url", Headers: "headers", Local: "stdio", Remote: "streamable-http"}
	for _, row := range []setup.Plain{
		{
			ID: "roo-code", Name: "Roo Code", Format: setup.JSONC, Table: "mcpServers", Form: form,
			Dir: func(env setup.Env) string {
				return filepath.Join(env.AppConfig(), "Code", "User", "globalStorage", "rooveterinaryinc.roo-cline")
			},
			User: []string{"settings/mcp_settings.json"}, Project: []string{".roo/mcp.json"},
		},
		{
			ID: "continue", Name: "Continue", MovedBy: "CONTINUE_GLOBAL_DIR", Format: setup.JSONC, Table: "mcpServers", Form: form,
			Dir:  func(env setup.Env) string { return filepath.Join(env.Home, ".continue") },
			User: []string{"mcpServers/mcp.json"}, Project: []string{".continue/mcpServers/mcp.json"},
		},
	} {
		all = append(all, row.Harness())
	}
	return all
}

// Hook files of harnesses that were not tried: what their documentation of 2026-11 says.

func windsurfHookFiles(env setup.Env) []setup.HookFile {
	file := func(origin setup.Origin, path string) setup.HookFile {
		return setup.HookFile{Path: path, Format: setup.JSON, Shape: setup.Flat, Origin: origin}
	}
	return []setup.HookFile{
		file(setup.OfManaged, env.ByOS("/etc/windsurf/hooks.json", "/Library/Application Support/Windsurf/hooks.json", `C:\ProgramData\Windsurf\hooks.json`)),
		file(setup.OfUser, filepath.Join(env.Home, ".codeium", "windsurf", "hooks.json")),
		file(setup.OfProject, filepath.Join(env.Cwd, ".windsurf", "hooks.json")),
	}
}

// vscodeCommandIn: a system's own member comes first. Of a file for Copilot CLI, bash is for Linux and macOS, powershell for Windows.
func vscodeCommandIn(goos string) []string {
	switch goos {
	case "windows":
		return []string{"windows", "powershell", "command"}
	case "darwin":
		return []string{"osx", "bash", "command"}
	}
	return []string{"linux", "bash", "command"}
}

// vscodeHookFiles includes files of Copilot CLI and Claude Code. Matchers have no effect.
func vscodeHookFiles(env setup.Env) (files []setup.HookFile) {
	file := func(origin setup.Origin, owner, path string) {
		files = append(files, setup.HookFile{Path: path, Format: setup.JSON, Shape: setup.Either, Origin: origin, Owner: owner})
	}
	folder := func(origin setup.Origin, owner, dir string) {
		for _, name := range env.Names(dir) {
			if filepath.Ext(name) == ".json" {
				file(origin, owner, filepath.Join(dir, name))
			}
		}
	}
	folder(setup.OfProject, "", filepath.Join(env.Cwd, ".github", "hooks"))
	folder(setup.OfImport, "Copilot CLI", filepath.Join(env.Home, ".copilot", "hooks"))
	const claude = "Claude Code"
	for _, dir := range []string{env.Home, env.Cwd} {
		file(setup.OfImport, claude, filepath.Join(dir, ".claude", "settings.json"))
	}
	file(setup.OfImport, claude, filepath.Join(env.Cwd, ".claude", "settings.local.json"))
	return files
}
