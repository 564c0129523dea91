//go:build unix

package doctor

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"wsi/doctor/report"
)

const unprivileged = 65534

// person is a user without privileges whose home the tests own, too.
type person struct {
	world    // without harnesses
	dir, bin string
}

// newPerson returns a user who has Claude Code and Codex, a repository with a linked worktree, and wsi.
func newPerson(t *testing.T) *person {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can do things as another user, and put files of root's into that one's home")
	}
	dir, err := os.MkdirTemp("/var/tmp", "wsi-person-") //nolint:usetesting // the test's own folders are closed to others
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	home := filepath.Join(dir, "my home")
	p := &person{world{t: t, home: home}, dir, filepath.Join(home, ".local", "bin")}
	for path, content := range map[string]string{
		".claude.json": servers[".claude.json"], ".claude/settings.json": "{}\n",
		".codex/config.toml": servers[".codex/config.toml"] + "[projects.'" + home + "/repo']\ntrust_level = 'trusted'\n[projects.'" + home + "/linked']\ntrust_level = 'trusted'\n",
		"repo/.git/HEAD":     "ref: refs/heads/main\n", "repo/.git/worktrees/linked/commondir": "../..\n",
		"repo/.git/worktrees/linked/gitdir": home + "/linked/.git\n", "linked/.git": "gitdir: " + home + "/repo/.git/worktrees/linked\n",
		"linked/.codex/x": "", "repo/.codex/x": "", "bin/node": "#!/bin/sh\n", "tmp/x": "",
	} {
		p.write(path, content)
	}
	program, err := os.ReadFile(wsi)
	p.must(err)
	for path, content := range map[string][]byte{
		filepath.Join(p.bin, "wsi"): program, p.path("bin/node"): []byte("#!/bin/sh\n"),
		p.path("yes/sudo"): []byte("#!/bin/sh\necho only the test is root >&2\nexit 1\n"),
		p.path("yes/wsi"):  []byte("#!/bin/sh\ncase \"$1\" in setup) exec '" + p.bin + "/wsi' \"$@\" --yes --trust-codex-hooks;; remove) exec '" + p.bin + "/wsi' \"$@\" --yes;; esac\nexec '" + p.bin + "/wsi' \"$@\"\n"),
	} {
		p.write(strings.TrimPrefix(path, home+"/"), string(content))
		p.must(os.Chmod(path, 0o755))
	}
	p.give(unprivileged, dir)
	return p
}

// write writes a file into a folder that all may read.
func (p *person) write(rel, content string) {
	p.t.Helper()
	p.must(os.MkdirAll(filepath.Dir(p.path(rel)), 0o755))
	p.world.write(rel, content)
}

// give gives a folder and all in it to a user.
func (p *person) give(id int, dir string) {
	p.t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, id, id)
	})
	p.must(err)
}

// shell has a shell run a line in a folder, as the person; what sudo is to run, as root.
func (p *person) shell(dir, line string) ([]byte, error) {
	if first, then, both := strings.Cut(line, " && "); both && strings.HasPrefix(first, "sudo ") {
		if said, err := p.shell(dir, first); err != nil {
			return said, err
		}
		line = then
	}
	cmd := exec.CommandContext(p.t.Context(), "/bin/sh", "-c", strings.TrimPrefix(line, "sudo "))
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + p.home, "PWD=" + dir, "TMPDIR=" + p.path("tmp"), "PATH=" + p.path("yes") + ":" + p.bin + ":" + p.path("bin") + ":/usr/bin:/bin"}
	if !strings.HasPrefix(line, "sudo ") {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: unprivileged, Gid: unprivileged}}
	}
	return cmd.CombinedOutput()
}

// examine returns what the doctor, as the person runs it, says of one check.
func (p *person) examine(dir, id string) report.Finding {
	p.t.Helper()
	out, _ := p.shell(dir, "wsi doctor --json --only "+id) // its status is 1 where something is broken
	var r report.Report
	if at := bytes.IndexByte(out, '{'); at < 0 || json.Unmarshal(out[at:], &r) != nil {
		p.t.Fatalf("%s", out)
	}
	for _, f := range r.All() {
		if f.ID == id {
			return f
		}
	}
	p.t.Fatalf("nothing is said of %s: %s", id, out)
	return report.Finding{}
}

// Fixes that depend on the owner of a file, on links and on worktrees, typed by a user who is not root.
func TestFixesWorkForAUser(t *testing.T) {
	for name, c := range map[string]struct {
		id    string
		setup string // of what, "" = claude-code
		in    string // the folder, "" = the repository
		harm  func(p *person)
		says  string // what the fix must be where it is a sentence; "" = it is a command
	}{
		"root's state folder": {id: "wsi.state", harm: func(p *person) { p.give(0, p.path(".local/state/wsi")) }},
		"a state folder in one of root's": {id: "wsi.state", harm: func(p *person) {
			p.give(0, p.path(".local/state"))
			p.must(os.Chmod(p.path(".local/state"), 0o700))
		}},
		"a read-only state folder": {id: "wsi.state", harm: func(p *person) { p.must(os.Chmod(p.path(".local/state/wsi"), 0o500)) }},
		"root's journal": {id: "wsi.journal", harm: func(p *person) {
			p.write(".local/state/wsi/journal.jsonl", "")
			p.give(0, p.path(".local/state/wsi/journal.jsonl"))
		}},
		"an unreadable journal": {id: "wsi.journal", harm: func(p *person) { p.mode(".local/state/wsi/journal.jsonl", 0) }},
		"root's ledger": {id: "wsi.ledger", harm: func(p *person) {
			p.give(0, p.path(".local/state/wsi/ledger.json"))
			p.must(os.Chmod(p.path(".local/state/wsi/ledger.json"), 0o600))
		}},
		"a damaged ledger": {id: "wsi.ledger", harm: func(p *person) { p.mode(".local/state/wsi/ledger.json", 0o600) }},
		"root's vault":     {id: "wsi.vault", harm: func(p *person) { p.must(os.MkdirAll(p.path(".local/state/wsi/vault/ab"), 0o700)) }},
		"unreadable rules": {id: "wsi.rules", harm: func(p *person) {
			p.mode(".config/wsi/rules.toml", 0)
			p.must(os.Truncate(p.path(".config/wsi/rules.toml"), 0))
		}},
		"unreadable settings":           {id: "claude-code.hook.file", harm: func(p *person) { p.must(os.Chmod(p.path(".claude/settings.json"), 0)) }},
		"root's settings":               {id: "claude-code.hook.file", harm: func(p *person) { p.give(0, p.path(".claude/settings.json")) }},
		"an unreadable file of servers": {id: "claude-code.server.registered", harm: func(p *person) { p.must(os.Chmod(p.path(".claude.json"), 0)) }},
		"read-only settings": {id: "claude-code.hook.registered", harm: func(p *person) {
			p.write(".claude/settings.json", "{}")
			p.must(os.Chmod(p.path(".claude/settings.json"), 0o400))
		}},
		"settings in root's folder": {id: "claude-code.hook.registered", harm: func(p *person) {
			p.write(".claude/settings.json", "{}")
			p.give(0, p.path(".claude"))
			p.give(unprivileged, p.path(".claude/settings.json"))
		}},
		"settings in a store": {id: "claude-code.hook.registered", harm: (*person).fromStore, says: "wsi snippet claude-code"},
		"a linked worktree of Codex": {id: "codex.hook.matches", setup: "codex --scope project", in: "linked", harm: func(p *person) {
			p.write("repo/.codex/hooks.json", strings.ReplaceAll(p.read("repo/.codex/hooks.json"), "^mcp__", "^MCP__"))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPerson(t)
			if c.setup == "" {
				c.setup = "claude-code"
			}
			dir := p.path("repo")
			if c.in != "" {
				dir = p.path(c.in)
			}
			if out, err := p.shell(p.path("repo"), "wsi setup --harness "+c.setup); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			c.harm(p)
			f := p.examine(dir, c.id)
			if f.Status != report.Fail && f.Status != report.Warn {
				t.Fatalf("%s is %s: %s", c.id, f.Status, f.Text)
			}
			if c.says != "" {
				if !strings.Contains(f.Fix.String(), c.says) || f.Fix.Text == "" {
					t.Errorf("%s\nfix: %s", f.Text, f.Fix)
				}
				return
			}
			if out, err := p.shell(dir, f.Fix.Command); err != nil {
				t.Errorf("%s\nfix: %s: %v\n%s", f.Text, f.Fix, err, out)
			}
			if now := p.examine(dir, c.id); now.Status != report.OK && now.Status != report.Info {
				t.Errorf("after %q %s is %s: %s\nwas: %s\nfix: %s", f.Fix, c.id, now.Status, now.Text, f.Text, now.Fix)
			}
		})
	}
}

// mode writes a file of the person's that makes no sense, with a mode.
func (p *person) mode(rel string, mode os.FileMode) {
	p.t.Helper()
	p.write(rel, "{")
	p.give(unprivileged, filepath.Dir(p.path(rel)))
	p.must(os.Chmod(p.path(rel), mode))
}

// fromStore has the settings be made by Nix's home-manager: a link to a read-only file of root's.
func (p *person) fromStore() {
	p.t.Helper()
	store := filepath.Join(p.dir, "nix", "store", "0a1b-home-manager-files")
	p.must(os.MkdirAll(store, 0o755))
	p.must(os.WriteFile(filepath.Join(store, "settings.json"), []byte("{}"), 0o444))
	p.must(os.Remove(p.path(".claude/settings.json")))
	p.must(os.Symlink(filepath.Join(store, "settings.json"), p.path(".claude/settings.json")))
}

// A folder that cannot be made, because of the rights of the one above it, is not reported as a full disk.
func TestFixesOfAClosedFolder(t *testing.T) {
	mine, theirs := t.TempDir(), t.TempDir()
	if os.Geteuid() != 0 {
		theirs = "/"
	} else if err := os.Chown(theirs, unprivileged, -1); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{mine: "chmod u+w " + mine, theirs: "set WSI_STATE_DIR to a folder of yours"} {
		o := Options{StateDir: filepath.Join(dir, "wsi"), Env: newWorld(t, "").env(), Room: func(string) error {
			return &fs.PathError{Op: "write", Path: dir, Err: syscall.EACCES}
		}}
		if got := ownState(&target{Options: o}); got.Fix.String() != want {
			t.Errorf("got %q, want %q", got.Fix.String(), want)
		}
	}
}
