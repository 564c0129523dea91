package main

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"wsi/internal/testkit/configgen"
	"wsi/internal/testkit/programtest"
)

// world is a home in which commands run within the test's process.
type world struct {
	env

	out, errs *bytes.Buffer
}

// newWorld returns a world with these files, by their paths below the home, and these variables, in which ~ is the home.
// The current folder is src/demo. An installed wsi is the only program.
func newWorld(t *testing.T, files, vars map[string]string) *world {
	t.Helper()
	e, out, errs := terminal(t, strings.NewReader(""))
	e.Interactive = false
	e.Cwd = filepath.Join(e.Home, "src", "demo")
	e.Getenv = func(name string) string { return strings.ReplaceAll(vars[name], "~", e.Home) }
	e.LookPath = func(name string) (string, error) {
		if isInstalled(name) || strings.HasPrefix(name, e.Home) {
			return name, nil
		}
		return "", exec.ErrNotFound
	}
	if err := os.MkdirAll(e.Cwd, 0o755); err != nil {
		t.Fatal(err)
	}
	w := &world{env: e, out: out, errs: errs}
	for path, content := range files {
		w.put(t, path, content)
	}
	return w
}

// countAsTemporary makes the test's own program one in the temporary folder, so that it can be installed.
func countAsTemporary(t *testing.T) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, variable := range []string{"TMPDIR", "TMP"} { // on Windows TMP
		t.Setenv(variable, filepath.Dir(program))
	}
}

// hasCodex puts a program on the PATH that lists hooks as Codex does: see [envtest.Codex].
func (w *world) hasCodex(t *testing.T) {
	t.Helper()
	self, _ := os.Executable() // it cannot be read then
	content, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	w.has(t, "codex", string(content))
}

// has puts a program on the PATH.
func (w *world) has(t *testing.T, name, content string) {
	t.Helper()
	path, look := filepath.Join(w.Home, "bin", name), w.LookPath
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	put(t, path, content)
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
	w.LookPath = func(asked string) (string, error) {
		if asked == name {
			return path, nil
		}
		return look(asked)
	}
}

func (w *world) put(t *testing.T, path, content string) {
	t.Helper()
	put(t, filepath.Join(w.Home, filepath.FromSlash(path)), content)
}

// put writes a file, and the folders above it.
func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := programtest.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// run runs a command and returns its standard output and exit status.
func (w *world) run(args ...string) (stdout string, exit int) {
	w.out.Reset()
	w.errs.Reset()
	root := newRootCmd(w.env)
	root.SetArgs(args)
	exit = w.report(root.Execute())
	return w.out.String(), exit
}

// files returns the contents of all files in the home, by path with ~ for the home.
func (w *world) files(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(w.Home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		all[w.tilde(path)] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// anyFiles returns random but valid configurations.
func anyFiles(r *rand.Rand) map[string]string {
	all := map[string]string{
		".claude/settings.json": configgen.JSON(r, configgen.Rules{Typed: true, Events: []string{"PreToolUse", "Stop", "PostToolUse"}}),
		".codex/hooks.json":     configgen.JSON(r, configgen.Rules{Typed: true, Lone: true, Events: []string{"PreToolUse", "Stop"}}),
		".codex/config.toml":    configgen.TOML(r, "PreToolUse", "PostToolUse", "Stop"),
		".cursor/hooks.json":    configgen.JSON(r, configgen.Rules{Flat: true, Bare: true, Typed: true, Comments: true, Preset: `"version": 1`, Events: []string{"preToolUse", "stop"}}),

		".config/opencode/plugins/another.js": "export const a = 1",
	}
	for _, path := range []string{".claude/settings.json", ".codex/hooks.json", ".codex/config.toml", ".cursor/hooks.json"} {
		if r.IntN(4) == 0 {
			delete(all, path)
		}
	}
	return all
}
