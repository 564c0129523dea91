//go:build unix

package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wsi/doctor/hooklist"
	"wsi/harnesses/setup"
	"wsi/internal/plainfile"
)

// A file of any harness that cannot be read is a row with its reason, and hides no hook of another file.
func TestHooksOfBadFiles(t *testing.T) {
	kinds := map[string]func(path string) error{
		"a sparse file of 1 GB": func(path string) error {
			return errors.Join(os.WriteFile(path, []byte("{"), 0o600), os.Truncate(path, 1<<30))
		},
		"nested lists": func(path string) error { return os.WriteFile(path, []byte(strings.Repeat("[", 1<<20)), 0o600) },
		"zeros":        func(path string) error { return os.WriteFile(path, make([]byte, 4096), 0o600) },
	}
	for what, do := range wrongs {
		if what != "a dangling link" && (what != "unreadable" || os.Geteuid() != 0) { // no file, and nothing for root
			kinds[what] = do
		}
	}
	for _, h := range withHooks() {
		if h.Files.Reads == nil {
			continue
		}
		for what, do := range kinds {
			w := newWorld(t, nil, nil)
			w.ReadFile = plainfile.Config
			path := h.Files.Reads(w.Env, setup.User)[0].Path
			good := filepath.Join(".claude", "settings.json")
			if h.ID == "claude-code" {
				good = filepath.Join("src", "demo", ".claude", "settings.json")
			}
			w.put(t, good, `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}`)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), do(path)); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			list := listed(t, w)
			bad := func(r hooklist.Row) bool { return r.Harness == h.ID && r.File == path && !r.Runs && r.Reason != "" }
			fine := func(r hooklist.Row) bool { return r.Harness == "claude-code" && r.Event == "Stop" && r.Runs }
			if !slices.ContainsFunc(list.Hooks, bad) || !slices.ContainsFunc(list.Hooks, fine) {
				t.Errorf("%s is %s: %+v", path, what, list.Hooks)
			}
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("%s is %s: it took %v", path, what, took)
			}
		}
	}
}
