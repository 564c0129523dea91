//go:build unix

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wsi/installer/files"
)

// A file that is too large, or has no end, is named with the reason, and no command waits for it or changes it.
func TestFilesBeyondTheLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads large files")
	}
	for name, c := range map[string]struct {
		make func(path string) error
		says string
	}{
		"20 MiB":          {func(path string) error { return os.WriteFile(path, make([]byte, 20<<20), 0o600) }, "it has 20.0 MiB, and wsi reads at most 8 MiB"},
		"a sparse file":   {func(path string) error { return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 1<<40)) }, "it has 1048576.0 MiB"},
		"a link to zeros": {func(path string) error { return os.Symlink("/dev/zero", path) }, "not a regular file"},
		"a link to a log": {func(path string) error { return os.Symlink("/proc/kmsg", path) }, ""}, // root reads it, others may not
	} {
		t.Run(name, func(t *testing.T) {
			for _, project := range []bool{false, true} {
				w := newWorld(t, map[string]string{".claude.json": `{"mcpServers": {"workflow-server": {"command": "x"}}}`}, nil)
				w.ReadFile = files.Config
				file, scope := filepath.Join(w.Home, ".claude", "settings.json"), "user"
				if project {
					file, scope = filepath.Join(w.Cwd, ".claude", "settings.json"), "project"
				}
				if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), c.make(file)); err != nil {
					t.Fatal(err)
				}
				before, err := os.Lstat(file)
				if err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				for _, args := range [][]string{
					{"hooks"},
					{"status"},
					{"doctor"},
					{"setup", "--dry-run", "--scope", scope, "--binary", installed, "--harness", "claude-code", "--server", "workflow-server"},
					{"setup", "--yes", "--scope", scope, "--binary", installed, "--harness", "claude-code", "--server", "workflow-server"},
				} {
					out, _ := w.run(args...)
					said := strings.Join(strings.Fields(out+w.errs.String()), " ")
					if args[0] != "status" && (!strings.Contains(said, c.says) || !strings.Contains(said, filepath.Base(file))) {
						t.Errorf("wsi %s: %s", strings.Join(args, " "), said)
					}
				}
				if took := time.Since(start); took > time.Minute {
					t.Errorf("it took %v", took)
				}
				if after, err := os.Lstat(file); err != nil || after.ModTime() != before.ModTime() || after.Size() != before.Size() {
					t.Errorf("%v, %v", after, err)
				}
			}
		})
	}
}
