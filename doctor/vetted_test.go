package doctor

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"wsi/internal/testkit/linktest"
)

// trap is a program in the project that leaves a mark when it is run, and says what a good server would.
func (w *world) trap(rel string) (path string) {
	w.t.Helper()
	w.write("project/"+rel, "#!/bin/sh\necho x >> '"+w.path("trapped")+"'\n"+speaking(carrying)+"\n")
	path = w.path("project/" + rel)
	if err := os.Chmod(path, 0o700); err != nil {
		w.t.Fatal(err)
	}
	return path
}

// trapped reports whether it was run.
func (w *world) trapped() bool {
	_, err := os.Stat(w.path("trapped"))
	return err == nil
}

// copied returns a copy of wsi, which may have more at its end.
func (w *world) copied(to, more string) string {
	w.t.Helper()
	content, err := os.ReadFile(wsi)
	if err != nil {
		w.t.Fatal(err)
	}
	w.write(to, string(content)+more)
	if err := os.Chmod(w.path(to), 0o700); err != nil {
		w.t.Fatal(err)
	}
	return w.path(to)
}

// names has a project's file name a program as wsi.
func names(path func(*world) string) func(*world) {
	return func(w *world) {
		if runtime.GOOS == "windows" {
			w.t.Skip("shell scripts stand in for programs")
		}
		w.write("project/"+codexHooks, strings.ReplaceAll(w.read(codexHooks), w.bin, path(w)))
		w.write(codexHooks, `{"hooks":{}}`)
		w.only = append(w.only, "hook.path", "token.delivered")
	}
}

// asked has a server of the user's, and files with that of the project, TRAP, which may be run or not. CWD is its folder.
func asked(files map[string]string, trapped bool) func(*world) {
	return func(w *world) {
		if runtime.GOOS == "windows" {
			w.t.Skip("shell scripts stand in for servers")
		}
		w.serveAll(speaking(carrying))
		trap := w.trap("tools/server")
		for file, content := range files {
			w.write(file, strings.NewReplacer("TRAP", trap, "CWD", w.cwd).Replace(content))
		}
		w.mayTrap = trapped
	}
}

const answers = "ok: workflow-server answers over MCP 2025-06-18 and has 3 tools"

var projectsSay = []saying{
	// Where a project's file names wsi, this wsi is run if the file is a copy of it. What counts is the file, not its name.
	{"codex.hook.runnable", "a project names this very program", false, names(func(w *world) string { return w.bin }), "ok: the commands run…"},
	{"codex.hook.runnable", "a project names a link to it", false, names(func(w *world) string {
		link := w.path("project/tools/wsi")
		if err := os.MkdirAll(filepath.Dir(link), 0o700); err != nil {
			w.t.Fatal(err)
		}
		linktest.Make(w.t, wsi, link)
		return link
	}), "ok: the commands run…"},
	{"codex.hook.runnable", "a project names a copy", false, names(func(w *world) string { return w.copied("project/tools/wsi", "") }), "ok: the commands run…"},
	{"codex.hook.runnable", "a project names a copy that may not be run", false, names(func(w *world) string {
		path := w.copied("project/tools/wsi", "")
		if err := os.Chmod(path, 0o600); err != nil {
			w.t.Fatal(err)
		}
		return path
	}), "fail: PROJECT/tools/wsi cannot be run…"},
	{"codex.hook.runnable", "a project names another build", false, names(func(w *world) string { return w.copied("project/tools/wsi", "more") }), "fail: not run: it is the project's own program: PROJECT/tools/wsi, named in PROJECT/.codex/hooks.json…"},
	{"codex.hook.runnable", "a project names another program", false, names(func(w *world) string { return w.trap("tools/wsi") }), "fail: not run: it is the project's own program…"},
	{"codex.hook.runnable", "a project names one of the user's", false, names(func(w *world) string { return w.copied("tools/wsi", "more") }), "fail: not run: it is the project's own program…"},
	{"codex.hook.runnable", "a project names nothing", false, names(func(w *world) string { return w.path("project/tools/wsi") }), "fail: no binary at PROJECT/tools/wsi…"},
	{"codex.hook.runnable", "a project names a folder", false, names(func(w *world) string { w.folder("project/tools/wsi"); return w.path("project/tools/wsi") }), "fail: no binary at PROJECT/tools/wsi…"},
	{"codex.hook.runnable", "a project names no whole path", false, names(func(w *world) string { w.trap("tools/wsi"); return "./tools/wsi" }), "fail: the command does not begin with an absolute path…"},
	// A server of a project is not asked before its user has agreed to it with the harness; the user's own of the same name is.
	{"claude-code.server.answers", "next to the user's own", true, asked(map[string]string{"project/.mcp.json": `{"mcpServers":{"workflow-server":{"command":"TRAP"}}}`}, false), answers},
	{"codex.server.answers", "next to the user's own", true, asked(map[string]string{"project/.codex/config.toml": "[mcp_servers.workflow-server]\ncommand = \"TRAP\"\n"}, false), answers},
	{"opencode.server.answers", "next to the user's own", true, asked(map[string]string{"project/opencode.json": `{"mcp":{"workflow-server":{"type":"local","command":["TRAP"]}}}`}, false), answers},
	{"cursor.server.answers", "next to the user's own", true, asked(map[string]string{"project/.cursor/mcp.json": `{"mcpServers":{"workflow-server":{"command":"TRAP"}}}`}, false), answers},
	{"claude-code.server.answers", "alone", true, asked(map[string]string{".claude.json": `{}`, "project/.mcp.json": `{"mcpServers":{"workflow-server":{"command":"TRAP"}}}`}, false), "skip: not started: the server workflow-server, registered in PROJECT/.mcp.json, waits for its user's approval"},
	{"claude-code.server.answers", "approved by the project itself", true, asked(map[string]string{
		".claude.json": `{}`, "project/.mcp.json": `{"mcpServers":{"workflow-server":{"command":"TRAP"}}}`,
		"project/.claude/settings.json": `{"enableAllProjectMcpServers":true}`, "project/.claude/settings.local.json": `{"enabledMcpjsonServers":["workflow-server"]}`,
	}, false), "skip: not started: the server workflow-server, registered in PROJECT/.mcp.json, waits for its user's approval"},
	{"codex.server.answers", "alone", true, asked(map[string]string{".codex/config.toml": "", "project/.codex/config.toml": "[mcp_servers.workflow-server]\ncommand = \"TRAP\"\n"}, false), "skip: not started: the server workflow-server, registered in PROJECT/.codex/config.toml, is not read, because Codex does not trust the project PROJECT"},
	{"opencode.server.answers", "alone", true, asked(map[string]string{".config/opencode/opencode.json": `{}`, "project/opencode.json": `{"mcp":{"workflow-server":{"type":"local","command":["TRAP"]}}}`}, false), "skip: not started: the project registers workflow-server in PROJECT/opencode.json, and wsi found no approval of it in OpenCode"},
	{"opencode.server.answers", "a variable laid over the user's own", true, asked(map[string]string{"project/opencode.json": `{"mcp":{"workflow-server":{"type":"local","environment":{"PATH":"CWD"}}}}`}, false), answers},
	{"claude-code.server.answers", "approved", true, asked(map[string]string{
		".claude.json":      `{"projects":{"CWD":{"hasTrustDialogAccepted":true,"enabledMcpjsonServers":["workflow-server"]}}}`,
		"project/.mcp.json": `{"mcpServers":{"workflow-server":{"command":"TRAP"}}}`,
	}, true), answers},
	{"codex.server.answers", "trusted", true, asked(map[string]string{
		".codex/config.toml":         "[projects.\"CWD\"]\ntrust_level = \"trusted\"\n",
		"project/.codex/config.toml": "[mcp_servers.workflow-server]\ncommand = \"TRAP\"\n",
	}, true), answers},
	{"codex.server.answers", "switched off", true, asked(map[string]string{
		".codex/config.toml":         "[mcp_servers.workflow-server]\ncommand = \"TRAP\"\n[projects.\"CWD\"]\ntrust_level = \"trusted\"\n",
		"project/.codex/config.toml": "[mcp_servers.workflow-server]\nenabled = false\n",
	}, false), "skip: no server named workflow-server is registered and enabled"},
	{"codex.server.answers", "a path from the folder", true, asked(map[string]string{".codex/config.toml": "[mcp_servers.workflow-server]\ncommand = \"./tools/server\"\n"}, false), "skip: not started: HOME/.codex/config.toml makes Codex start ./tools/server, which is a program of this project"},
}
