//go:build release

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"wsi/internal/testkit/samplehome"
)

// user has a home folder with four harnesses and installs wsi. No harness of this machine is on the PATH.
type user struct {
	*testing.T
	home, bin string // bin is first on the PATH
	vars      []string
}

func newUser(t *testing.T) *user {
	t.Helper()
	u := &user{T: t, home: filepath.Join(t.TempDir(), "home")}
	u.bin = filepath.Join(u.home, "bin")
	for name, content := range samplehome.Files(filepath.ToSlash(u.home)) {
		if err := writeFile(filepath.Join(u.home, filepath.FromSlash(name)), []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	tools := u.dir("tools")
	u.dir("bin")
	for _, tool := range []string{"sh", "node"} {
		if path, err := exec.LookPath(tool); err == nil {
			if err := os.Symlink(path, filepath.Join(tools, tool)); err != nil {
				t.Fatal(err)
			}
		}
	}
	u.vars = []string{"HOME=" + u.home, "TMPDIR=" + u.dir("tmp"), "LANG=C.UTF-8", "PATH=" + u.bin + ":" + tools}
	return u
}

// dir makes a folder in the home folder and returns its path.
func (u *user) dir(name string) string {
	u.Helper()
	path := filepath.Join(u.home, name)
	if err := os.MkdirAll(path, 0o755); err != nil {
		u.Fatal(err)
	}
	return path
}

// run runs a program as the user and returns its output and exit status.
func (u *user) run(program string, args ...string) (stdout, stderr string, status int) {
	u.Helper()
	var out, errs strings.Builder
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = u.home, u.vars, &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		u.Fatalf("%s: %v", program, err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// must is run, and fails the test if the program fails.
func (u *user) must(program string, args ...string) string {
	u.Helper()
	stdout, stderr, status := u.run(program, args...)
	if status != 0 {
		u.Fatalf("%s %s: status %d\n%s%s", program, strings.Join(args, " "), status, stdout, stderr)
	}
	return stdout
}

// settings returns the file in which Claude Code registers hooks.
func (u *user) settings() string {
	u.Helper()
	data, err := os.ReadFile(filepath.Join(u.home, ".claude", "settings.json"))
	if err != nil {
		u.Fatal(err)
	}
	return string(data)
}

// setUp sets wsi up and checks that program is what the hooks run. called is how the user calls wsi.
func (u *user) setUp(called, program, version string) {
	u.Helper()
	if out := u.must(called, "version"); out != "wsi version "+version+"\n" {
		u.Errorf("wsi version prints %q, want %s", out, version)
	}
	line := `"command": "` + program + ` inject --harness claude-code"`
	if out := u.must(called, "setup", "--dry-run"); !strings.Contains(out, line) {
		u.Fatalf("setup --dry-run does not register %s:\n%s", program, out)
	}
	u.must(called, "setup", "--yes", "--trust-codex-hooks")
	if !strings.Contains(u.settings(), line) {
		u.Errorf("settings.json does not have %s", line)
	}
	u.must(called, "doctor", "--harness", "claude-code,cursor,opencode") // only Codex itself says whether it is approved
}

// upgraded checks that an upgrade changed only the program: what is registered is still right, and still trusted.
func (u *user) upgraded(called, version string) {
	u.Helper()
	if out := u.must(called, "version"); out != "wsi version "+version+"\n" {
		u.Errorf("after the upgrade, wsi version prints %q, want %s", out, version)
	}
	for line := range strings.Lines(u.must(called, "setup", "--dry-run", "--trust-codex-hooks")) {
		if strings.HasPrefix(line, "+++") {
			u.Errorf("after the upgrade, setup would change %s", line)
		}
	}
	u.must(called, "doctor", "--harness", "claude-code,cursor,opencode") // only Codex itself says whether it is approved
}

// removed checks that a package has left none of these files and folders, the first of which is its program, and that
// wsi is still registered.
func (u *user) removed(paths ...string) {
	u.Helper()
	for _, path := range paths {
		if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
			u.Errorf("the package left %s", path)
		}
	}
	if !strings.Contains(u.settings(), paths[0]) {
		u.Error("the package has changed the user's files")
	}
}
