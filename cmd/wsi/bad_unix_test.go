//go:build unix

package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
	"wsi/installer/files"
	"wsi/installer/inspect"
	"wsi/internal/plainfile"
)

const nobodyUID = 65534

// asUser lets root run a command as a user without root's permissions.
func asUser(t *testing.T, cmd *exec.Cmd, home string) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	err := filepath.WalkDir(filepath.Dir(home), func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, nobodyUID, nobodyUID))
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{filepath.Dir(filepath.Dir(home)), filepath.Dir(cmd.Path), filepath.Dir(filepath.Dir(cmd.Path))} {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobodyUID, Gid: nobodyUID}}
}

// wrongs are the defects of a file apart from its content.
var wrongs = map[string]func(path string) error{
	"unreadable": func(path string) error {
		return errors.Join(os.WriteFile(path, []byte("{}"), 0o600), os.Chmod(path, 0))
	},
	"a folder":         func(path string) error { return os.Mkdir(path, 0o755) },
	"a full folder":    func(path string) error { return os.MkdirAll(filepath.Join(path, "x"), 0o755) },
	"a pipe":           func(path string) error { return unix.Mkfifo(path, 0o644) },
	"a socket":         func(path string) error { return unix.Mknod(path, unix.S_IFSOCK|0o644, 0) },
	"a device":         func(path string) error { return os.Symlink("/dev/zero", path) },
	"a dangling link":  func(path string) error { return os.Symlink("nowhere", path) },
	"a link to itself": func(path string) error { return os.Symlink(filepath.Base(path), path) },
	"too large": func(path string) error {
		return os.WriteFile(path, bytes.Repeat([]byte{'\n'}, plainfile.MaxConfig+1), 0o644)
	},
}

// unwritable are the defects that only prevent writing.
var unwritable = map[string]func(path string) error{
	"read-only":             func(path string) error { return os.Chmod(path, 0o444) },
	"in a read-only folder": func(path string) error { return os.Chmod(filepath.Dir(path), 0o555) },
	"in a closed folder":    func(path string) error { return os.Chmod(filepath.Dir(path), 0) },
}

func cellsOf(places []spot, keep bool, wrongs map[string]func(string) error) (all []cell) {
	for _, p := range places {
		for what, do := range wrongs {
			all = append(all, cell{spot: p, what: what, make: func(t *testing.T, path string) {
				t.Helper()
				if !keep {
					_ = os.Remove(path)
				} else if strings.HasSuffix(path, ".js") || strings.HasSuffix(path, ".local.json") || strings.HasSuffix(path, "codex/hooks.json") {
					put(t, path, map[bool]string{true: "{\"hooks\": {}}", false: ""}[strings.HasSuffix(path, ".json")])
				}
				if err := do(path); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = os.Chmod(filepath.Dir(path), 0o755) })
			}})
		}
	}
	return all
}

// wrongFiles returns the defects of the files that setup writes, and of those that it only reads: a dangling link counts as
// an absent one.
func wrongFiles() (written, only []cell) {
	written = append(cellsOf(touched, false, wrongs), cellsOf(touched, true, unwritable)...)
	return written, slices.DeleteFunc(cellsOf(read, false, wrongs), func(c cell) bool { return c.quiet || c.what == "a dangling link" })
}

// A file that wsi never wrote can be as broken as it likes: wsi remove leaves it, says so where it could hold hooks of wsi,
// removes what is elsewhere, and ends with status 0.
func TestRemovePassesOverBrokenFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	kinds := map[string]struct {
		make func(path string) error
		said bool // it may hold hooks of wsi
	}{
		"not parsable": {func(path string) error { return os.WriteFile(path, []byte("{[ = = ]"), 0o600) }, false},
		"a list":       {func(path string) error { return os.WriteFile(path, []byte("[1]"), 0o600) }, false},
		"too large":    {func(path string) error { return os.WriteFile(path, make([]byte, plainfile.MaxConfig+1), 0o600) }, true},
		"a pipe":       {func(path string) error { return syscall.Mkfifo(path, 0o600) }, true},
		"a folder":     {func(path string) error { return os.Mkdir(path, 0o700) }, true},
		"a lost link":  {func(path string) error { return os.Symlink(path+".none", path) }, false},
	}
	hooks := `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "` + installed + ` inject --harness claude-code"}]}]}}`
	for _, h := range registry.All() {
		for what, kind := range kinds {
			t.Run(h.ID+"/"+what, func(t *testing.T) {
				clean := newWorld(t, nil, nil)
				for _, path := range filesOf(t, clean.Env, h, setup.User) {
					w := newWorld(t, map[string]string{".claude/settings.json": hooks}, nil)
					w.ReadFile = files.Config
					path = filepath.Join(w.Home, strings.TrimPrefix(path, clean.Home))
					if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.RemoveAll(path), kind.make(path)); err != nil {
						t.Fatal(err)
					}
					before, err := os.Lstat(path)
					if err != nil {
						t.Fatal(err)
					}
					out, exit := w.run("remove", "--yes")
					if exit != 0 {
						t.Errorf("%s: exit %d: %s%s", path, exit, out, w.errs)
					}
					if said := strings.Contains(out+w.errs.String(), "if it contains hooks of wsi"); said && !kind.said {
						t.Errorf("%s: %s%s", path, out, w.errs)
					}
					if after, err := os.Lstat(path); err != nil || after.Mode() != before.Mode() || after.Size() != before.Size() {
						t.Errorf("%s is changed: %v, %v", path, after, err)
					}
					settings := filepath.Join(w.Home, ".claude", "settings.json")
					if content, err := files.Config(settings); settings != path && (err != nil || strings.Contains(string(content), "wsi")) {
						t.Errorf("%s: %s, %v", settings, content, err)
					}
				}
			})
		}
	}
}

// filesOf returns the files in which a harness reads hooks and servers.
func filesOf(t *testing.T, env setup.Env, h setup.Harness, scope setup.Scope) (paths []string) {
	t.Helper()
	if h.Files.Reads != nil {
		for _, f := range h.Files.Reads(env, scope) {
			paths = append(paths, f.Path)
		}
	}
	w, err := h.Wiring(env, scope, inspect.Placeholder(env))
	if err != nil && scope == setup.User { // some have no hooks in a project
		t.Fatal(err)
	}
	for _, f := range w.Owned {
		paths = append(append(paths, f.Path), f.Also...)
	}
	for _, f := range inspect.ServerFiles(env, h, scope) {
		paths = append(paths, f.Path)
	}
	return paths
}
