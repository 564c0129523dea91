//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wsi/doctor/hooklist"
	"wsi/harnesses"
	tty "wsi/internal/testkit/terminal"
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
		if h.Reads == nil {
			continue
		}
		for what, do := range kinds {
			w := newWorld(t, nil, nil)
			w.ReadFile = readRegular
			path := h.Reads(w.Env, harnesses.User)[0].Path
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

// On a terminal --watch shows runs as they happen, and ends with Ctrl-C.
func TestHooksWatch(t *testing.T) {
	p := seat(t, "hooks", "--watch")
	own := exec.Command("wsi", "inject", "--harness", "claude-code")
	if own.Err != nil {
		t.Fatal(own.Err)
	}
	settings := fmt.Sprintf(`{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": %q}]}]}}`, own.Path+" inject --harness claude-code")
	if err := os.WriteFile(filepath.Join(p.Dir, ".claude", "settings.json"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	s := sit(t, p)
	if _, err := s.WaitFor("New runs, until Ctrl-C:"); err != nil {
		t.Fatal(err)
	}
	own.Env, own.Dir = p.Env, p.Dir
	own.Stdin = strings.NewReader(`{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"mcp__workflow-server__next_activity","tool_input":{},"tool_use_id":"x"}`)
	if out, err := own.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if _, err := s.WaitFor("Claude Code  inject  wsi inject"); err != nil {
		t.Fatal(err)
	}
	s.Press(tty.CtrlC)
	if status, err := s.Exit(); err != nil || status != 0 {
		t.Error(status, err)
	}

	// The run is in the list the next time.
	once := exec.Command("wsi", "hooks", "--watch")
	once.Env, once.Dir = p.Env, p.Dir
	out, err := once.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "1 run, last ") || strings.Contains(string(out), "Ctrl-C") {
		t.Errorf("%v: %s", err, out)
	}
}
