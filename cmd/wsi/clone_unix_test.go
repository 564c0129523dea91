//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
	"wsi/installer"
	"wsi/installer/files"
	"wsi/templates"
)

// clone is a repository by another author in a user's home. Every program that its files name leaves a mark when it runs.
// Otherwise it is a working wsi and a working server, so that nothing stops an examination early.
type clone struct {
	t                    *testing.T
	home, dir, wsi, bait string // bait: the clone's own program, in a file named wsi
	marks                string
	answer               string // to every question
}

func newClone(t *testing.T) *clone {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	wsi, err := exec.LookPath("wsi") // testscript.Main has put it there
	if err != nil {
		t.Fatal(err)
	}
	c := &clone{
		t: t, home: filepath.Join(root, "home"), dir: filepath.Join(root, "home", "src", "clone"),
		wsi: filepath.Join(root, "bin", "wsi"), marks: filepath.Join(root, "marks"), answer: "n",
	}
	c.bait = filepath.Join(c.dir, "tools", "wsi")
	for _, dir := range []string{c.dir, filepath.Dir(c.wsi), c.marks, filepath.Join(root, "tmp")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(wsi, c.wsi); err != nil { // a file of this name, because the doctor starts the file itself
		t.Fatal(err)
	}
	c.program(c.bait)
	c.program(filepath.Join(c.dir, "tools", "server"))
	c.write(".git/HEAD", "ref: refs/heads/main\n")
	return c
}

// program writes a program that leaves a mark.
func (c *clone) program(path string) {
	c.t.Helper()
	c.write(path, "#!/bin/sh\necho \"$0 $*\" >> '"+c.marks+"/run'\ncase $0 in */wsi) exec '"+c.wsi+"' \"$@\";; esac\nexec '"+c.wsi+"' reference-server --state '"+c.marks+"/state'\n")
	if err := os.Chmod(path, 0o700); err != nil {
		c.t.Fatal(err)
	}
}

// write writes a file. A relative path is below the clone.
func (c *clone) write(path, content string) {
	c.t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.dir, filepath.FromSlash(path))
	}
	put(c.t, path, content)
}

// run runs a wsi command in a folder and returns its output.
func (c *clone) run(dir string, args ...string) string {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.wsi, args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(strings.Repeat(c.answer+"\n", 200))
	cmd.Env = []string{"HOME=" + c.home, "PATH=" + filepath.Dir(c.wsi) + ":/usr/bin:/bin", "TMPDIR=" + filepath.Join(filepath.Dir(c.marks), "tmp"), "GORACE=atexit_sleep_ms=0"}
	out, _ := cmd.CombinedOutput() // most examinations find a problem and exit with 1
	if ctx.Err() != nil {
		c.t.Errorf("wsi %s does not end:\n%s", strings.Join(args, " "), out)
	}
	return string(out)
}

// cloneCommands returns the commands that a user runs in a clone: to examine wsi, and then to set it up. In short mode it is
// one of each kind.
func cloneCommands() [][]string {
	report := []string{"doctor", "--report", "--harness", strings.Join(wirableIDs(), ","), "--live"}
	if testing.Short() {
		return [][]string{report, {"doctor", "--fix", "--plain"}, {"setup", "--yes", "--scope", "project"}}
	}
	return [][]string{
		{"doctor"},
		{"doctor", "--json"},
		{"doctor", "--live", "-v"},
		{"doctor", "--only", "hook.path,token.delivered"},
		report,
		{"doctor", "--fix", "--plain"},
		{"setup", "--dry-run"},
		{"status"},
		{"setup", "--yes"},
		{"setup", "--yes", "--scope", "project"},
		{"doctor", "--only", "hook.runnable,relay.runnable,hook.path"},
	}
}

// holds runs commands and checks that none of them runs a program of the clone.
func (c *clone) holds(dir string, commands ...[]string) {
	c.t.Helper()
	for _, args := range commands {
		said := c.run(dir, args...)
		mark, err := os.ReadFile(filepath.Join(c.marks, "run"))
		if err != nil {
			continue
		}
		c.t.Errorf("wsi %s ran a program of the clone:\n%s%s", strings.Join(args, " "), mark, said)
		_ = os.Remove(filepath.Join(c.marks, "run"))
	}
}

// files returns the files of a clone that name a program: their contents by path. A note in parentheses can follow the
// path.
func (c *clone) files(program string) map[string]string {
	c.t.Helper()
	hook := func(harness, verb string) string {
		return setup.Program{Path: program, Servers: []string{harnesses.DefaultServer}}.Command("linux", verb, harness)
	}
	grouped := func(harness, before, after string) string {
		return fmt.Sprintf(`{"hooks":{%q:[{"matcher":"","hooks":[{"type":"command","command":%q}]}],%q:[{"matcher":"","hooks":[{"type":"command","command":%q}]}]}}`,
			before, hook(harness, "inject"), after, hook(harness, "capture"))
	}
	front := func(harness string) []string {
		return setup.RelayCommand{Path: program, Server: harnesses.DefaultServer, Harness: harness, State: filepath.Join(c.marks, "vault")}.
			Before([]string{filepath.Join(c.dir, "tools", "server")})
	}
	relay := func(table, harness string) string {
		words := front(harness)
		return fmt.Sprintf(`{%q:{"workflow-server":{"command":%q,"args":%s}}}`, table, words[0], inBrackets(words[1:]))
	}
	all := map[string]string{
		".claude/settings.json":       grouped("claude-code", "PreToolUse", "PostToolUse"),
		".claude/settings.local.json": grouped("claude-code", "PreToolUse", "PostToolUse"),
		".codex/hooks.json":           grouped("codex", "PreToolUse", "PostToolUse"),
		".cursor/hooks.json": fmt.Sprintf(`{"version":1,"hooks":{"preToolUse":[{"command":%q}],"postToolUse":[{"command":%q}],"afterMCPExecution":[{"command":%q}]}}`,
			hook("cursor", "inject"), hook("cursor", "capture"), hook("cursor", "capture")),
		".opencode/plugin/wsi.js":  string(templates.OpenCode(setup.Program{Path: program, Servers: []string{harnesses.DefaultServer}})),
		".opencode/plugins/wsi.js": string(templates.OpenCode(setup.Program{Path: program, Servers: []string{harnesses.DefaultServer}})),
		".gemini/settings.json":    grouped("gemini-cli", "BeforeTool", "AfterTool"),
		".github/hooks/wsi.json": fmt.Sprintf(`{"version":1,"hooks":{"preToolUse":[{"type":"command","matcher":"workflow-server-.+","bash":%q}],"postToolUse":[{"type":"command","matcher":"workflow-server-.+","bash":%q}]}}`,
			hook("copilot-cli", "inject"), hook("copilot-cli", "capture")),
		".cline/hooks/PreToolUse.bash":   "#!/usr/bin/env bash\nexec " + hook("cline-cli", "inject") + "\n",
		".cline/hooks/PostToolUse.bash":  "#!/usr/bin/env bash\nexec " + hook("cline-cli", "capture") + "\n",
		".mcp.json":                      relay("mcpServers", "claude-code"),
		".cursor/mcp.json":               relay("mcpServers", "cursor"),
		".gemini/settings.json (relay)":  relay("mcpServers", "gemini-cli"),
		".github/mcp.json":               relay("mcpServers", "copilot-cli"),
		"opencode.json":                  fmt.Sprintf(`{"mcp":{"workflow-server":{"type":"local","command":%s}}}`, inBrackets(front("opencode"))),
		"opencode.jsonc":                 fmt.Sprintf(`{"mcp":{"workflow-server":{"type":"local","command":%s}}}`, inBrackets(front("opencode"))),
		".opencode/opencode.json":        fmt.Sprintf(`{"mcp":{"workflow-server":{"type":"local","command":%s}}}`, inBrackets(front("opencode"))),
		".opencode/opencode.jsonc":       fmt.Sprintf(`{"mcp":{"workflow-server":{"type":"local","command":%s}}}`, inBrackets(front("opencode"))),
		".codex/config.toml":             fmt.Sprintf("[mcp_servers.workflow-server]\ncommand = %q\nargs = %s\n", program, inBrackets(front("codex")[1:])),
		".codex/config.toml (hooks)":     "[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = " + fmt.Sprintf("%q", hook("codex", "inject")) + "\n",
		".mcp.json (no relay)":           fmt.Sprintf(`{"mcpServers":{"workflow-server":{"command":%q}}}`, program),
		".mcp.json (by env)":             fmt.Sprintf(`{"mcpServers":{"workflow-server":{"command":"env","args":%s}}}`, inBrackets(front("claude-code"))),
		".codex/config.toml (no relay)":  fmt.Sprintf("[mcp_servers.workflow-server]\ncommand = %q\n", program),
		"opencode.json (no relay)":       fmt.Sprintf(`{"mcp":{"workflow-server":{"type":"local","command":[%q]}}}`, program),
		".cursor/mcp.json (no relay)":    fmt.Sprintf(`{"mcpServers":{"workflow-server":{"command":%q}}}`, program),
		".claude/settings.json (by env)": strings.ReplaceAll(grouped("claude-code", "PreToolUse", "PostToolUse"), `"command":"`, `"command":"env `),
	}
	for _, h := range registry.All() {
		w := newWorld(c.t, nil, nil)
		w.Cwd = c.dir
		if !h.RelayOnly() {
			c.addHooks(all, w, h, program)
			continue
		}
		for _, file := range h.Registers(w.Env, setup.Project) {
			all[strings.TrimPrefix(file.Path, c.dir+"/")] = relay(file.Tables[0][0], h.ID)
		}
	}
	return all
}

// addHooks adds the files in which setup itself would register the hooks of a program.
func (c *clone) addHooks(all map[string]string, w *world, h setup.Harness, program string) {
	c.t.Helper()
	p, err := installer.PlanSetup(installer.Options{
		Env: w.Env, FS: files.Disk{}, StateDir: w.StateDir, Scope: setup.Project, Harnesses: []setup.Harness{h},
		Setup: installer.Setup{Program: setup.Program{Path: program, Servers: []string{harnesses.DefaultServer}}, Mode: setup.ByHooks},
	})
	if err != nil {
		c.t.Fatal(err)
	}
	for _, change := range p.Changes {
		if rel, ok := strings.CutPrefix(change.Path, c.dir+"/"); ok {
			all[rel+" (by setup)"] = string(change.After)
		}
	}
}

func inBrackets(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = fmt.Sprintf("%q", w)
	}
	return "[" + strings.Join(quoted, ",") + "]"
}

// fileOf returns the path without the note.
func fileOf(name string) string { name, _, _ = strings.Cut(name, " "); return name }
