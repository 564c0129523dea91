//go:build unix

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"wsi/harnesses/setup"
	"wsi/harnesses/setup/registry"
	"wsi/installer/files"
	"wsi/installer/inspect"
	"wsi/internal/plainfile"
)

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
