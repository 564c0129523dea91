package doctor

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

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

// Where a project's file names wsi, this wsi is run if the file is a copy of it. What counts is the
// file, not its name.
func TestWhatAProjectsFileNames(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("shell scripts stand in for programs")
	}
	copied := func(w *world, to string, more string) string {
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
	for _, c := range []struct {
		name string
		path func(*world) string
		want string // of what hook.runnable says
	}{
		{"this very program", func(w *world) string { return w.bin }, "ok: the commands run"},
		{"a link to it", func(w *world) string {
			link := w.path("project/tools/wsi")
			if err := os.MkdirAll(filepath.Dir(link), 0o700); err != nil {
				w.t.Fatal(err)
			}
			linktest.Make(w.t, wsi, link)
			return link
		}, "ok: the commands run"},
		{"a copy", func(w *world) string { return copied(w, "project/tools/wsi", "") }, "ok: the commands run"},
		{"a copy that may not be run", func(w *world) string {
			path := copied(w, "project/tools/wsi", "")
			if err := os.Chmod(path, 0o600); err != nil {
				w.t.Fatal(err)
			}
			return path
		}, "fail: PROJECT/tools/wsi cannot be run"},
		{"another build", func(w *world) string { return copied(w, "project/tools/wsi", "more") }, "fail: not run: it is the project's own program: PROJECT/tools/wsi, named in PROJECT/.codex/hooks.json"},
		{"another program", func(w *world) string { return w.trap("tools/wsi") }, "fail: not run: it is the project's own program"},
		{"one of the user's", func(w *world) string { return copied(w, "tools/wsi", "more") }, "fail: not run: it is the project's own program"},
		{"nothing", func(w *world) string { return w.path("project/tools/wsi") }, "fail: no binary at PROJECT/tools/wsi"},
		{"a folder", func(w *world) string { w.folder("project/tools/wsi"); return w.path("project/tools/wsi") }, "fail: no binary at PROJECT/tools/wsi"},
		{"no whole path", func(w *world) string { w.trap("tools/wsi"); return "./tools/wsi" }, "fail: the command does not begin with an absolute path"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "", "codex")
			path := c.path(w)
			w.write("project/"+codexHooks, strings.ReplaceAll(w.read(codexHooks), w.bin, path))
			w.write(codexHooks, `{"hooks":{}}`)
			w.only = []string{"hook.runnable", "hook.path", "token.delivered"}
			r := w.examine()
			if got := strings.ReplaceAll(found(r, "codex.hook.runnable"), w.cwd, "PROJECT"); !strings.HasPrefix(got, c.want) {
				t.Errorf("%s\nwant %s", got, c.want)
			}
			if w.trapped() {
				t.Error("it was run")
			}
		})
	}
}

// A server of a project is not asked before its user has agreed to it with the harness; the user's own of the same
// name is.
func TestWhoIsAsked(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("shell scripts stand in for servers")
	}
	own := map[string]string{".claude.json": "", ".codex/config.toml": "", ".config/opencode/opencode.json": "", ".cursor/mcp.json": ""}
	for _, c := range []struct {
		name, harness string
		files         map[string]string // TRAP is the project's server, CWD its folder
		asked         string            // of what server.answers says
		trapped       bool
	}{
		{"next to the user's own", "claude-code", map[string]string{"project/.mcp.json": `{"mcpServers":{"workflow-server":{"command":"TRAP"}}}`}, "ok: workflow-server answers over MCP 2025-06-18 and has 3 tools", false},
		{"next to the user's own", "codex", map[string]string{"project/.codex/config.toml": "[mcp_servers.workflow-server]\ncommand = \"TRAP\"\n"}, "ok: workflow-server answers over MCP 2025-06-18 and has 3 tools", false},
		{"next to the user's own", "opencode", map[string]string{"project/opencode.json": `{"mcp":{"workflow-server":{"type":"local","command":["TRAP"]}}}`}, "ok: workflow-server answers over MCP 2025-06-18 and has 3 tools", false},
		{"next to the user's own", "cursor", map[string]string{"project/.cursor/mcp.json": `{"mcpServers":{"workflow-server":{"command":"TRAP"}}}`}, "ok: workflow-server answers over MCP 2025-06-18 and has 3 tools", false},
		{"alone", "claude-code", map[string]string{".claude.json": `{}`, "project/.mcp.json": `{"mcpServers":{"workflow-server":{"command":"TRAP"}}}`}, "skip: not started: the server workflow-server, registered in PROJECT/.mcp.json, waits for its user's approval", false},
		{"approved by the project itself", "claude-code", map[string]string{
			".claude.json": `{}`, "project/.mcp.json": `{"mcpServers":{"workflow-server":{"command":"TRAP"}}}`,
			"project/.claude/settings.json": `{"enableAllProjectMcpServers":true}`, "project/.claude/settings.local.json": `{"enabledMcpjsonServers":["workflow-server"]}`,
		}, "skip: not started: the server workflow-server, registered in PROJECT/.mcp.json, waits for its user's approval", false},
		{"alone", "codex", map[string]string{".codex/config.toml": "", "project/.codex/config.toml": "[mcp_servers.workflow-server]\ncommand = \"TRAP\"\n"}, "skip: not started: the server workflow-server, registered in PROJECT/.codex/config.toml, is not read, because Codex does not trust the project PROJECT", false},
		{"alone", "opencode", map[string]string{".config/opencode/opencode.json": `{}`, "project/opencode.json": `{"mcp":{"workflow-server":{"type":"local","command":["TRAP"]}}}`}, "skip: not started: the project registers workflow-server in PROJECT/opencode.json, and wsi found no approval of it in OpenCode", false},
		{"a variable laid over the user's own", "opencode", map[string]string{"project/opencode.json": `{"mcp":{"workflow-server":{"type":"local","environment":{"PATH":"CWD"}}}}`}, "ok: workflow-server answers over MCP 2025-06-18 and has 3 tools", false},
		{"approved", "claude-code", map[string]string{
			".claude.json":      `{"projects":{"CWD":{"hasTrustDialogAccepted":true,"enabledMcpjsonServers":["workflow-server"]}}}`,
			"project/.mcp.json": `{"mcpServers":{"workflow-server":{"command":"TRAP"}}}`,
		}, "ok: workflow-server answers over MCP 2025-06-18 and has 3 tools", true},
		{"trusted", "codex", map[string]string{
			".codex/config.toml":         "[projects.\"CWD\"]\ntrust_level = \"trusted\"\n",
			"project/.codex/config.toml": "[mcp_servers.workflow-server]\ncommand = \"TRAP\"\n",
		}, "ok: workflow-server answers over MCP 2025-06-18 and has 3 tools", true},
		{"switched off", "codex", map[string]string{
			".codex/config.toml":         "[mcp_servers.workflow-server]\ncommand = \"TRAP\"\n[projects.\"CWD\"]\ntrust_level = \"trusted\"\n",
			"project/.codex/config.toml": "[mcp_servers.workflow-server]\nenabled = false\n",
		}, "skip: no server named workflow-server is registered and enabled", false},
		{"a path from the folder", "codex", map[string]string{".codex/config.toml": "[mcp_servers.workflow-server]\ncommand = \"./tools/server\"\n"}, "skip: not started: HOME/.codex/config.toml makes Codex start ./tools/server, which is a program of this project", false},
	} {
		t.Run(c.harness+", "+c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "", c.harness)
			w.write("own", "#!/bin/sh\n"+speaking(carrying)+"\n")
			if err := os.Chmod(w.path("own"), 0o700); err != nil {
				t.Fatal(err)
			}
			for file := range own {
				w.replace(file, `"node"`, quoted(w.path("own")))
			}
			trap := w.trap("tools/server")
			for file, content := range c.files {
				w.write(file, strings.NewReplacer("TRAP", trap, "CWD", w.cwd).Replace(content))
			}
			w.only = one("server.answers")
			got := strings.NewReplacer(w.cwd, "PROJECT", w.home, "HOME").Replace(found(w.examineLive(), c.harness+".server.answers"))
			if got != c.asked {
				t.Errorf("%s\nwant %s", got, c.asked)
			}
			if w.trapped() != c.trapped {
				t.Errorf("the project's server was run: %v", w.trapped())
			}
		})
	}
}
