//go:build !windows

package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"wsi/internal/testkit/programtest"
	"wsi/internal/testkit/terminal"
)

func freshHome(t *testing.T) home {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the home is made for Linux")
	}
	root := filepath.Join("..", "..", "..")
	h, err := newHome(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.leave(); err != nil {
			t.Error(err)
		}
	})
	if err := h.create(); err != nil {
		t.Fatal(err)
	}
	return h
}

func waitFor(t *testing.T, s *terminal.Session, pattern string) terminal.Screen {
	t.Helper()
	screen, err := s.Wait(func(now terminal.Screen) bool { return regexp.MustCompile(pattern).MatchString(now.Text()) })
	if err != nil {
		t.Fatalf("%s: %v", pattern, err)
	}
	return screen
}

// examine starts wsi doctor in a home after setup. It also returns the folder for temporary files.
func examine(t *testing.T, h home, flags ...string) (s *terminal.Session, temp string) {
	t.Helper()
	temp = t.TempDir()
	s, err := terminal.Start(t.Context(), terminal.Program{
		Args: append([]string{h.program, "doctor"}, flags...), Env: append(h.env(), "TMPDIR="+temp), Dir: h.cwd,
		Patience: 30 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, temp
}

// tidy checks the terminal and the folder for temporary files after a doctor.
func tidy(t *testing.T, s *terminal.Session, temp string) {
	t.Helper()
	if left := s.LeftOn(); left != nil {
		t.Errorf("the terminal is left with %q", left)
	}
	left, err := os.ReadDir(temp)
	if err != nil || len(left) > 0 {
		t.Errorf("temporary folders are left: %v (%v)", left, err)
	}
}

// The fixes of setup go through its review, and then the doctor checks again. A user who leaves before that is over hears
// nothing of an interrupted examination. The exit status is 0 if setup has repaired everything, and as before if it has
// changed nothing.
func TestFixFromDoctor(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	h := freshHome(t)
	if err := h.wire(t.Context(), "--trust-codex-hooks"); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(h.dir, ".claude", "settings.json")
	wired, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(h.programs, "codex")
	quick, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name          string
		agrees, waits bool // waits: for the end of the second examination
		status        int
	}{
		{"agrees and waits", true, true, 0},
		{"agrees and leaves", true, false, 0},
		{"does not agree", false, false, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			broken := bytes.ReplaceAll(wired, []byte(`"PostToolUse"`), []byte(`"Notification"`))
			if err := errors.Join(os.WriteFile(file, broken, 0o600), programtest.WriteFile(program, quick, 0o700)); err != nil {
				t.Fatal(err)
			}
			s, temp := examine(t, h)
			waitFor(t, s, `✗ Claude Code`)
			waitFor(t, s, examined)
			waitFor(t, s, "f fix")
			s.Type("f")
			waitFor(t, s, setupWalk.stops[0].see)
			back := terminal.Key("q")
			if c.agrees {
				waitFor(t, s, `▸ ◉ Claude Code +2\.1`)
				s.Press(terminal.Enter)
				waitFor(t, s, setupWalk.stops[1].see)
				time.Sleep(time.Second) // the review must be visible for some time
				s.Press(terminal.Enter)
				waitFor(t, s, "enter leave")
				back = terminal.Enter
			}
			if c.waits {
				s.Press(back)
				screen := waitFor(t, s, examined)
				if !strings.Contains(screen.Text(), "▸ Claude Code") || strings.Contains(screen.Text(), "✗") {
					t.Errorf("afterwards the doctor shows\n%s", screen.Text())
				}
			} else {
				if err := programtest.WriteFile(program, []byte("#!/bin/sh\nexec /bin/sleep 60\n"), 0o700); err != nil {
					t.Fatal(err)
				}
				s.Press(back)
				waitFor(t, s, `Checking what is registered`) // Codex is not ready
			}
			s.Type("q")
			if code, err := s.Exit(); err != nil || code != c.status {
				t.Errorf("exit status %d (%v), want %d", code, err, c.status)
			}
			said := s.Screen().History().Text()
			if strings.Contains(said, "interrupted") || strings.Contains(said, "✗ Claude Code") == c.agrees {
				t.Errorf("the terminal shows\n%s", said)
			}
			tidy(t, s, temp)
		})
	}
}
