//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wsi/harnesses"
	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
	"wsi/installer"
	"wsi/installer/files"
	"wsi/internal/testkit/programtest"
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
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		c.t.Fatal(err)
	}
	if err := programtest.WriteFile(path, []byte(content), 0o600); err != nil {
		c.t.Fatal(err)
	}
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

// cloneCommands are the commands that a user runs in a clone: to examine wsi, and then to set it up.
var cloneCommands = [][]string{
	{"doctor"},
	{"doctor", "--json"},
	{"doctor", "--scope", "project"},
	{"doctor", "--live", "-v"},
	{"doctor", "--only", "hook.path,token.delivered,relay.needed"},
	{"doctor", "--report", "--harness", strings.Join(wirableIDs(), ","), "--live"},
	{"doctor", "--fix", "--plain"},
	{"setup", "--dry-run"},
	{"status"},
	{"setup", "--yes"},
	{"setup", "--yes", "--scope", "project"},
	{"doctor", "--only", "hook.runnable,relay.runnable,hook.path"},
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
		Env: w.Env, FS: files.Disk{}, StateDir: w.StateDir, Scope: setup.Project, Harnesses: []setup.Harness{h}, Mode: setup.ByHooks,
		Program: setup.Program{Path: program, Servers: []string{harnesses.DefaultServer}},
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

// The tests cover every file of a project from which a harness takes hooks or servers.
func TestCloneHasEveryProjectFile(t *testing.T) {
	c := newClone(t)
	env := newWorld(t, nil, nil).Env
	env.Cwd = c.dir
	tried := map[string]bool{}
	for name := range c.files(c.bait) {
		tried[fileOf(name)] = true
	}
	for _, h := range registry.All() {
		var paths []string
		if h.Files.Reads != nil {
			for _, file := range h.Files.Reads(env, setup.Project) {
				paths = append(paths, file.Path)
			}
		}
		if h.Registers != nil {
			for _, file := range h.Registers(env, setup.Project) {
				paths = append(paths, file.Path)
			}
		}
		if h.Wiring != nil {
			wiring, _ := h.Wiring(env, setup.Project, setup.Program{Path: c.bait, Servers: []string{harnesses.DefaultServer}}) // some have no hooks
			for _, file := range wiring.Owned {
				paths = append(append(paths, file.Path), file.Also...)
			}
		}
		for _, path := range paths {
			if rest, err := filepath.Rel(c.dir, path); err != nil || !tried[filepath.ToSlash(rest)] {
				t.Errorf("%s reads %s, and no test writes it", h.Name, path)
			}
		}
	}
}

// fileOf returns the path without the note.
func fileOf(name string) string { name, _, _ = strings.Cut(name, " "); return name }

// A harness runs the programs that a clone's files name only after it has asked the user. wsi never runs them.
func TestCloneProgramsAreNotRun(t *testing.T) {
	for name := range newClone(t).files("") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClone(t)
			c.write(fileOf(name), c.files(c.bait)[name])
			c.holds(c.dir, cloneCommands...)
			sub := filepath.Join(c.dir, "sub", "folder")
			if err := os.MkdirAll(sub, 0o700); err != nil {
				t.Fatal(err)
			}
			c.holds(sub, []string{"doctor"}, []string{"doctor", "--live"})
		})
	}
}

// All files of the clone at once, in a home that is set up.
func TestCloneProgramsAreNotRunAfterSetup(t *testing.T) {
	if testing.Short() {
		t.Skip("it examines some twenty clones")
	}
	c := newClone(t)
	c.write(filepath.Join(c.home, ".claude.json"), `{"mcpServers":{"workflow-server":{"command":"`+c.wsi+`","args":["reference-server","--state","`+c.marks+`/own"]}}}`)
	c.write(filepath.Join(c.home, ".codex", "config.toml"), "[mcp_servers.workflow-server]\ncommand = \""+c.wsi+"\"\nargs = [\"reference-server\", \"--state\", \""+c.marks+"/own\"]\n")
	c.write(filepath.Join(c.home, ".cursor", "mcp.json"), `{"mcpServers":{"workflow-server":{"command":"`+c.wsi+`","args":["reference-server","--state","`+c.marks+`/own"]}}}`)
	c.write(filepath.Join(c.home, ".config", "opencode", "opencode.json"), `{"mcp":{"workflow-server":{"type":"local","command":["`+c.wsi+`","reference-server","--state","`+c.marks+`/own"]}}}`)
	if said := c.run(c.home, "setup", "--yes", "--binary", c.wsi, "--trust-codex-hooks"); strings.Contains("\n"+said, "\nerror: ") {
		t.Fatal(said)
	}
	for name, content := range c.files(c.bait) {
		c.write(fileOf(name), content)
	}
	c.answer = "y"
	c.holds(c.dir, slices.Concat(cloneCommands, [][]string{{"doctor", "--live"}})...)
}

// Indirect paths to a program of the clone.
func TestCloneProgramsAreNotRunByIndirectPaths(t *testing.T) {
	const hooks = ".codex/hooks.json"
	for name, lay := range map[string]func(*clone) (dir string){
		"a link to it": func(c *clone) string {
			link := filepath.Join(c.dir, "bin", "wsi")
			if err := os.MkdirAll(filepath.Dir(link), 0o700); err != nil {
				c.t.Fatal(err)
			}
			if err := os.Symlink(c.bait, link); err != nil {
				c.t.Fatal(err)
			}
			c.write(hooks, c.files(link)[hooks])
			c.write(".mcp.json", c.files(link)[".mcp.json"])
			return c.dir
		},
		"a path with dots in it": func(c *clone) string {
			c.write(hooks, c.files(filepath.Dir(c.wsi) + "/../home/src/clone/tools/wsi")[hooks])
			return c.dir
		},
		"a path from the folder": func(c *clone) string {
			c.write(hooks, c.files("tools/wsi")[hooks])
			c.write(".mcp.json", c.files("./tools/wsi")[".mcp.json"])
			return c.dir
		},
		"a file of the user's that is a link into the clone": func(c *clone) string {
			c.write(hooks, c.files(c.bait)[hooks])
			c.write(".codex/config.toml", c.files(c.bait)[".codex/config.toml"])
			if err := os.Symlink(filepath.Join(c.dir, ".codex"), filepath.Join(c.home, ".codex")); err != nil {
				c.t.Fatal(err)
			}
			c.write("mcp.json", c.files(c.bait)[".cursor/mcp.json"])
			c.write(filepath.Join(c.home, ".cursor", "x"), "")
			if err := os.Symlink(filepath.Join(c.dir, "mcp.json"), filepath.Join(c.home, ".cursor", "mcp.json")); err != nil {
				c.t.Fatal(err)
			}
			return c.dir
		},
		"a linked working tree": func(c *clone) string {
			linked := filepath.Join(c.home, "src", "linked")
			c.write(hooks, c.files(c.bait)[hooks])
			c.write(".claude/settings.local.json", c.files(c.bait)[".claude/settings.local.json"])
			c.write(filepath.Join(linked, ".git"), "gitdir: "+c.dir+"/.git/worktrees/linked\n")
			c.write(".git/worktrees/linked/commondir", "../..\n")
			c.write(".git/worktrees/linked/gitdir", linked+"/.git\n")
			c.write(filepath.Join(linked, ".codex", "config.toml"), "")
			return linked
		},
		"another server's": func(c *clone) string {
			c.write(hooks, strings.ReplaceAll(c.files(c.bait)[hooks], "--harness codex", "--harness codex --server other"))
			return c.dir
		},
		"another harness's": func(c *clone) string {
			c.write(".claude/settings.json", strings.ReplaceAll(c.files(c.bait)[".claude/settings.json"], "--harness claude-code", "--harness cursor"))
			return c.dir
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClone(t)
			dir := lay(c)
			c.holds(dir, cloneCommands...)
		})
	}
}

// The doctor names each program that it does not run, and the file that names it.
func TestDoctorNamesTheCloneProgram(t *testing.T) {
	c := newClone(t)
	c.write(".codex/hooks.json", c.files(c.bait)[".codex/hooks.json"])
	c.write(".mcp.json", c.files(c.bait)[".mcp.json"])
	c.write(filepath.Join(c.home, ".claude.json"), `{"mcpServers":{}}`)
	said := strings.Join(strings.Fields(c.run(c.dir, "doctor")), " ")
	for _, want := range []string{
		"✗ codex.hook.runnable not run: it is the project's own program: ~/src/clone/tools/wsi, named in ~/src/clone/.codex/hooks.json",
		"✗ claude-code.relay.runnable not run: it is the project's own program: ~/src/clone/tools/wsi, named in ~/src/clone/.mcp.json",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q:\n%s", want, said)
		}
	}
}

// An unpacked folder can contain git settings, such as a program with which git fetches missing objects. Setup asks git
// about files, and git must not fetch.
func TestGitDoesNotFetch(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	c := newClone(t)
	if err := os.RemoveAll(filepath.Join(c.dir, ".git")); err != nil {
		t.Fatal(err)
	}
	c.write("in/a", "1")
	c.write("out/b", "2")
	git := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir, cmd.Env = c.dir, []string{"HOME=" + c.home, "PATH=" + os.Getenv("PATH")}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Skipf("this git does not support the test: git %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	git("add", "in", "out")
	git("-c", "user.name=n", "-c", "user.email=e@x", "commit", "-qm", "m")
	git("sparse-checkout", "set", "--cone", "--sparse-index", "in")
	missing := git("rev-parse", "HEAD:out")
	if err := os.Remove(filepath.Join(c.dir, ".git", "objects", missing[:2], missing[2:])); err != nil {
		t.Fatal(err)
	}
	for _, set := range [][2]string{
		{"core.repositoryformatversion", "1"},
		{"extensions.partialClone", "origin"},
		{"remote.origin.promisor", "true"},
		{"remote.origin.url", c.dir},
		{"remote.origin.uploadpack", c.bait},
		{"protocol.file.allow", "always"},
	} {
		git("config", set[0], set[1])
	}
	c.write(filepath.Join(c.home, ".claude", "x"), "")
	c.holds(c.dir, []string{"setup", "--dry-run", "--scope", "project", "--harness", "claude-code", "--binary", c.wsi})
}
