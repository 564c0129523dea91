//go:build unix

package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
)

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
		for _, path := range filesOf(t, env, h, setup.Project) {
			if rest, err := filepath.Rel(c.dir, path); err != nil || !tried[filepath.ToSlash(rest)] {
				t.Errorf("%s reads %s, and no test writes it", h.Name, path)
			}
		}
	}
}

// A harness runs the programs that a clone's files name only after it has asked the user. wsi never runs them. Each file is
// alone in a clone; in short mode only those of one path are in different clones.
func TestCloneProgramsAreNotRun(t *testing.T) {
	var clones [][]string
	seen := map[string]int{} // by path
	for _, name := range slices.Sorted(maps.Keys(newClone(t).files(""))) {
		at := len(clones)
		if testing.Short() {
			at = seen[fileOf(name)]
			seen[fileOf(name)]++
		}
		if at == len(clones) {
			clones = append(clones, nil)
		}
		clones[at] = append(clones[at], name)
	}
	for _, names := range clones {
		t.Run(names[0], func(t *testing.T) {
			t.Parallel()
			c := newClone(t)
			files := c.files(c.bait)
			for _, name := range names {
				c.write(fileOf(name), files[name])
			}
			c.holds(c.dir, cloneCommands()...)
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
	c.holds(c.dir, slices.Concat(cloneCommands(), [][]string{{"doctor", "--live"}})...)
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
			c.holds(dir, cloneCommands()...)
		})
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
