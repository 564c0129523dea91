package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

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

func openSetup(t *testing.T, h home) *terminal.Session {
	t.Helper()
	s, err := terminal.Start(t.Context(), terminal.Program{
		Args: []string{h.program, "setup", "--binary", h.program}, Env: h.env(), Dir: h.cwd,
	})
	if err != nil {
		t.Fatal(err)
	}
	waitFor(t, s, setupWalk.stops[0].see)
	return s
}

func waitFor(t *testing.T, s *terminal.Session, pattern string) terminal.Screen {
	t.Helper()
	screen, err := s.Wait(func(now terminal.Screen) bool { return regexp.MustCompile(pattern).MatchString(now.Text()) })
	if err != nil {
		t.Fatalf("%s: %v", pattern, err)
	}
	return screen
}

// contents returns the files in the home.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		all[strings.TrimPrefix(path, dir)] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// If the user leaves before confirming the review, setup changes no file and restores the terminal.
func TestLeaveSetupBeforeConfirm(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	h := freshHome(t)
	before := contents(t, h.dir)
	review := func(s *terminal.Session) {
		t.Helper()
		s.Press(terminal.Enter)
		waitFor(t, s, setupWalk.stops[1].see)
	}
	for _, leave := range []struct {
		name string
		by   func(*terminal.Session)
		exit int
	}{
		{"q", func(s *terminal.Session) { s.Type("q") }, 3},
		{"ctrl-c", func(s *terminal.Session) { s.Press(terminal.CtrlC) }, 3},
		{"q in the review", func(s *terminal.Session) { review(s); s.Type("q") }, 3},
		{"ctrl-c in the review", func(s *terminal.Session) { review(s); s.Press(terminal.CtrlC) }, 3},
		{"SIGTERM in the review", func(s *terminal.Session) {
			review(s)
			if err := s.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
		}, 3},
	} {
		t.Run(leave.name, func(t *testing.T) {
			s := openSetup(t, h)
			leave.by(s)
			if code, err := s.Exit(); err != nil || code != leave.exit {
				t.Errorf("exit status %d (%v), want %d; on the screen:\n%s", code, err, leave.exit, s.Screen().Text())
			}
			if left := s.LeftOn(); left != nil {
				t.Errorf("the terminal is left with %q", left)
			}
			if diff := cmp.Diff(before, contents(t, h.dir)); diff != "" {
				t.Errorf("the home is not as before:\n%s", diff)
			}
		})
	}
}
