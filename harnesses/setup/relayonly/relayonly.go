// Package relayonly is all that wsi knows of the harnesses without hooks that could carry a value: one row of a
// table for each. A row without Measured comes from the harness's documentation of 2026-11 and was not tried.
//
// It must not know how files are written, or any harness with hooks.
package relayonly

import (
	"cmp"
	"path/filepath"

	"wsi/harnesses/clients"
	"wsi/harnesses/setup"
	"wsi/internal/lists"
)

// All returns the harnesses of the table, in the order in which they are shown.
func All() []setup.Harness { return lists.Map(table, setup.Plain.Harness) }

// The table holds only constants and functions, so that its initialization costs the hook nothing.
var table = []setup.Plain{
	{
		// On Linux its folder is not documented; unofficial builds use this one. The file registers only servers that it
		// starts: those over HTTP are connectors of the user's account.
		ID: "claude-desktop", Name: "Claude Desktop",
		Dir:  func(env setup.Env) string { return filepath.Join(env.AppConfig(), "Claude") },
		User: []string{"claude_desktop_config.json"}, Format: setup.JSON, Table: "mcpServers",
		Form: setup.Form{Env: "env"},
		Why:  "there are no hooks", Share: "all conversations",
		Afterwards: []string{
			"Claude Desktop starts its servers when it starts: quit it and open it again. To close its window is not enough.",
		},
	},
	{
		// Its hooks were a preview.
		ID: "vscode", Name: "VS Code", Binary: "code", Hooks: vscodeHookFiles,
		Dir:  func(env setup.Env) string { return filepath.Join(env.AppConfig(), "Code", "User") },
		User: []string{"mcp.json"}, Project: []string{".vscode/mcp.json"}, Format: setup.JSONC, Table: "servers", Form: typed,
		Why: "its hooks are a preview, and it is not documented what they see of a result", Share: "all chats of a window",
		Caveats: []string{"wsi registers the relay in VS Code's default profile only; other profiles have servers of their own."},
	},
	{
		// wsi refuses an older form of an entry, in which command is a table with path and args.
		ID: "zed", Name: "Zed", Binary: "zed",
		Dir: func(env setup.Env) string {
			config := env.AppConfig()
			return env.ByOS(filepath.Join(config, "zed"), filepath.Join(env.Home, ".config", "zed"), filepath.Join(config, "Zed"))
		},
		User: []string{"settings.json"}, Project: []string{".zed/settings.json"}, Format: setup.JSONC, Table: "context_servers",
		Form: setup.Form{Env: "env", URL: "url", Headers: "headers", Kept: []string{"oauth", "settings"}},
		Why:  "there are no hooks", Share: "all threads of a window",
	},
	{
		// It was Windsurf, which read another file.
		ID: "devin-desktop", Name: "Devin Desktop", Binary: "devin-desktop", Hooks: windsurfHookFiles,
		Dir: func(env setup.Env) string {
			return filepath.Join(env.ByOS(dotConfig(env), dotConfig(env), env.AppConfig()), "devin")
		},
		User: []string{"mcp_config.json"}, Project: []string{".devin/mcp_config.json"}, Format: setup.JSONC, Table: "mcpServers", Form: typed,
		More: windsurfServers,
		Why:  "its hooks can block a call, but not change it", Share: "all conversations",
	},
	{
		// An entry may have its address under url, too. serverUrl counts before url, and wsi refuses an entry with url.
		ID: "antigravity", Name: "Antigravity", Binary: "agy",
		Dir:  func(env setup.Env) string { return filepath.Join(env.Home, ".gemini", "config") },
		User: []string{"mcp_config.json"}, Project: []string{".agents/mcp_config.json"}, Format: setup.JSON, Table: "mcpServers",
		Form: setup.Form{Env: "env", URL: "serverUrl", Headers: "headers", Kept: []string{"oauth", "authProviderType"}},
		Why:  noHooksOfWsi, Share: "all conversations",
	},
	{
		ID: "kiro", Name: "Kiro", Binary: "kiro",
		Dir:  func(env setup.Env) string { return filepath.Join(env.Home, ".kiro") },
		User: []string{"settings/mcp.json"}, Project: []string{".kiro/settings/mcp.json"}, Format: setup.JSON, Table: "mcpServers", Form: typed,
		Why: noHooksOfWsi, Share: "all conversations",
	},
	{
		ID: "droid", Name: "Factory Droid", Binary: "droid", Measured: []string{"0.225.2"},
		Dir:  func(env setup.Env) string { return filepath.Join(env.Home, ".factory") },
		User: []string{"mcp.json"}, Project: []string{".factory/mcp.json"}, Format: setup.JSON, Table: "mcpServers", Form: typed,
		Why: noHooksOfWsi, Share: "all agents of a session",
	},
	{
		// It also reads .mcp.json in the project, a file of Claude Code.
		ID: clients.KimiCode, Name: "Kimi Code", Binary: "kimi", Measured: []string{"2.1.0"}, MovedBy: "KIMI_CODE_HOME",
		Dir:  func(env setup.Env) string { return filepath.Join(env.Home, ".kimi-code") },
		User: []string{"mcp.json"}, Project: []string{".kimi-code/mcp.json"}, Format: setup.JSON, Table: "mcpServers",
		Form: setup.Form{Env: "env", URL: "url", Headers: "headers", Local: "stdio", Remote: "http", Kept: []string{"auth", "bearerTokenEnvVar"}},
		Why:  noHooksOfWsi, Share: "all agents of a session",
	},
	{
		// It is made of OpenCode, whose files it also reads: opencode.json and the like.
		ID: "kilo-code", Name: "Kilo Code", Binary: "kilo", Measured: []string{"7.7.9"},
		Dir:  func(env setup.Env) string { return filepath.Join(dotConfig(env), "kilo") },
		User: []string{"kilo.json", "kilo.jsonc"}, Project: []string{"kilo.json", "kilo.jsonc", ".kilo/kilo.json", ".kilo/kilo.jsonc"},
		Format: setup.JSONC, Table: "mcp",
		Form: setup.Form{Joined: true, Env: "environment", URL: "url", Headers: "headers", Local: "local", Remote: "remote", Kept: []string{"oauth"}},
		Why:  noHooksOfWsi, Share: "all agents of a session",
	},
	{
		ID: "crush", Name: "Crush", Binary: "crush",
		Dir:  func(env setup.Env) string { return filepath.Join(dotConfig(env), "crush") },
		User: []string{"crush.json"}, Project: []string{"crush.json", ".crush.json"}, Format: setup.JSONC, Table: "mcp", Form: typed,
		Why: noHooksOfWsi, Share: "all agents of a session",
		Caveats: []string{"Crush also starts servers that its crushrc names. That file is a script: wsi does not read it."},
	},
	{
		ID: "warp", Name: "Warp",
		Dir:  func(env setup.Env) string { return filepath.Join(env.Home, ".warp") },
		User: []string{".mcp.json"}, Project: []string{".warp/.mcp.json"}, Format: setup.JSON, Table: "mcpServers", Form: typed,
		Why: noHooksOfWsi, Share: "all agents",
		Caveats: []string{"Warp also starts servers that its settings name: wsi sees only those in files."},
	},
	{
		ID: "amp", Name: "Amp", Binary: "amp",
		Dir:  func(env setup.Env) string { return filepath.Join(env.Home, ".config", "amp") },
		User: []string{"settings.json", "settings.jsonc"}, Project: []string{".amp/settings.json", ".amp/settings.jsonc"},
		Format: setup.JSONC, Table: "amp.mcpServers", Form: typed,
		Why: noHooksOfWsi, Share: "all agents of a session",
		Caveats: []string{"Amp starts a project's server only after you approve it: amp mcp approve."},
	},
	{
		ID: "junie", Name: "Junie", Binary: "junie",
		Dir:  func(env setup.Env) string { return filepath.Join(env.Home, ".junie") },
		User: []string{"mcp/mcp.json"}, Project: []string{".junie/mcp/mcp.json"}, Format: setup.JSON, Table: "mcpServers", Form: typed,
		Why: noHooksOfWsi, Share: "all tasks",
	},
}

const noHooksOfWsi = "wsi has no hooks there"

// typed is the form of most harnesses.
var typed = setup.Form{Env: "env", URL: "url", Headers: "headers", Local: "stdio", Remote: "http", Kept: []string{"oauth"}}

// dotConfig returns the folder ~/.config, on every system, or the one that the user has instead.
func dotConfig(env setup.Env) string {
	return cmp.Or(env.XDG("XDG_CONFIG_HOME"), filepath.Join(env.Home, ".config"))
}

// windsurfServers is the file of Windsurf, and of the older agent in Devin Desktop.
func windsurfServers(env setup.Env, scope setup.Scope) []setup.ServerFile {
	if scope == setup.Project {
		return nil
	}
	return []setup.ServerFile{{
		Path: filepath.Join(env.Home, ".codeium", "windsurf", "mcp_config.json"), Format: setup.JSONC, Tables: [][]string{{"mcpServers"}},
		Form: setup.Form{Env: "env", URL: "serverUrl", Headers: "headers", Kept: []string{"oauth"}},
	}}
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

// vscodeHookFiles includes files of Copilot CLI, where bash is for Linux and macOS, powershell for Windows, and of Claude Code.
// Matchers have no effect.
func vscodeHookFiles(env setup.Env) (files []setup.HookFile) {
	members := []string{env.ByOS("linux", "osx", "windows"), env.ByOS("bash", "bash", "powershell"), "command"}
	file := func(origin setup.Origin, owner, path string) {
		files = append(files, setup.HookFile{Path: path, Format: setup.JSON, Shape: setup.Either, Origin: origin, Owner: owner, Members: members})
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
