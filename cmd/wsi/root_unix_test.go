//go:build unix

package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"wsi/internal/owner"
)

// othersHome makes another user's home. run runs wsi there as root, as sudo does if it keeps HOME.
func othersHome(t *testing.T) (home string, run func(env []string, args ...string) (said string, exit int)) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	home = filepath.Join(t.TempDir(), "ann")
	for path, content := range map[string]string{
		".claude/settings.json": "{}\n", ".codex/config.toml": "", "src/demo/.keep": "", "event.json": `{"hook_event_name": "PreToolUse"}`,
	} {
		put(t, filepath.Join(home, path), content)
	}
	err := filepath.WalkDir(home, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Chown(path, nobodyUID, nobodyUID))
	})
	if err != nil {
		t.Fatal(err)
	}
	return home, func(env []string, args ...string) (string, int) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "wsi", args...)
		cmd.Dir, cmd.Env = filepath.Join(home, "src", "demo"), append([]string{"GORACE=atexit_sleep_ms=0"}, env...)
		cmd.Stdin = strings.NewReader(strings.Repeat("y\n", 6))
		said, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return string(said), exit.ExitCode()
		}
		if err != nil {
			t.Fatal(err)
		}
		return string(said), 0
	}
}

// roots lists the files below a folder that root owns.
func roots(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && owner.Check(path) == nil {
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// When root runs a command in another user's home, or with variables that lead there, wsi creates no file of root's there
// and prints the command to run instead. Row 35.
func TestRootInOthersHome(t *testing.T) {
	home, run := othersHome(t)
	kept, moved := []string{"HOME=" + home, "SUDO_USER=nobody"}, []string{"HOME=" + t.TempDir()}
	own := []string{"HOME=" + t.TempDir(), "SUDO_USER=nobody"} // as in a container: root is a user like any other
	b := []string{"--binary", installed}
	for _, c := range []struct {
		name string
		env  []string
		args []string
		says string // "": the command runs
	}{
		{"setup", kept, append(b, "setup", "--yes"), "hint: run it as nobody, without sudo: wsi setup"},
		{"setup of one", kept, append(b, "setup", "--yes", "--harness", "claude-code", "--server", "workflow-server"), "without sudo: wsi setup"},
		{"setup --plain", kept, append(b, "setup", "--plain"), "without sudo: wsi setup"},
		{"setup --dry-run", kept, append(b, "setup", "--dry-run"), "without sudo: wsi setup"},
		{"setup in a project", kept, append(b, "setup", "--yes", "--scope", "project"), "without sudo: wsi setup"},
		{"remove", kept, []string{"remove", "--yes"}, "without sudo: wsi remove"},
		{"purge", kept, []string{"remove", "--yes", "--purge"}, "without sudo: wsi remove"},
		{"doctor --fix", kept, []string{"doctor", "--fix", "--plain"}, "without sudo: wsi doctor"},
		{"no SUDO_USER", kept[:1], []string{"remove", "--yes"}, "run it as nobody: sudo -u nobody wsi remove"},
		{"WSI_STATE_DIR", append(moved, "WSI_STATE_DIR="+home+"/state/deep"), append(b, "setup", "--yes"), "sudo -u nobody wsi setup"},
		{"XDG_STATE_HOME", append(moved, "XDG_STATE_HOME="+home+"/.local/state"), append(b, "setup", "--yes"), "sudo -u nobody wsi setup"},
		{"CLAUDE_CONFIG_DIR", append(moved, "CLAUDE_CONFIG_DIR="+home+"/.claude"), append(b, "setup", "--yes", "--harness", "claude-code", "--server", "workflow-server"), "hint: run wsi as nobody"},
		{"a folder to be", append(moved, "CLAUDE_CONFIG_DIR="+home+"/new/claude"), append(b, "setup", "--yes", "--harness", "claude-code", "--server", "workflow-server"), "hint: run wsi as nobody"},
		{"another's project", moved, append(b, "setup", "--yes", "--scope", "project", "--harness", "claude-code", "--server", "workflow-server"), "hint: run wsi as nobody"},
		{"status", kept, []string{"status"}, ""},
		{"log", kept, []string{"log"}, ""},
		{"doctor", kept, []string{"doctor", "--only", "wsi"}, ""},
		{"inject", kept, []string{"inject", "--harness", "claude-code"}, ""},
		{"own home", own, append(b, "setup", "--yes", "--harness", "claude-code,codex", "--server", "workflow-server"), ""},
		{"own home, purge", own, []string{"remove", "--yes", "--purge"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := c.args
			if len(args) > 2 && args[0] == "--binary" {
				args = append(args[2:], args[:2]...)
			}
			before := roots(t, home)
			said, exit := run(c.env, args...)
			if refused := exit == 1 && strings.Contains(said, "error: "); c.says != "" && (!refused || !strings.Contains(said, c.says)) || c.says == "" && exit != 0 {
				t.Errorf("exit status %d: %s", exit, said)
			}
			if after := roots(t, home); c.says != "" && len(after) != len(before) {
				t.Errorf("root's now: %q", after)
			}
		})
	}
}
