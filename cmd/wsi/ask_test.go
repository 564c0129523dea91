package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// On a terminal setup shows the diff and writes it only after a yes. The proof then fails without a wsi at the path.
func TestSetupAsksOnATerminal(t *testing.T) {
	for _, c := range []struct {
		answer string
		exit   int
	}{{"y\n", 1}, {"YES\n", 1}, {"\n", 3}, {"no\n", 3}, {"yesterday\nno\n", 3}, {"", 3}} {
		e, out, errs := terminal(t, strings.NewReader(c.answer)) // no trust
		root := newRootCmd(e)
		root.SetArgs([]string{"setup", "--binary", installed, "--harness", "codex", "--server", "workflow-server", "--scope", "user"})
		if exit := e.report(root.Execute()); exit != c.exit {
			t.Errorf("%q: exit status %d, want %d\n%s", c.answer, exit, c.exit, errs.String())
		}
		if !strings.Contains(out.String(), `"`+installed+` inject --harness codex"`) || !strings.Contains(out.String(), "Write 1 file? [y/N]") {
			t.Errorf("%q: shown was\n%s", c.answer, out.String())
		}
		_, err := os.Stat(filepath.Join(e.Home, ".codex", "hooks.json"))
		if written := err == nil; written != (c.exit == 1) {
			t.Errorf("%q: the file was written: %v", c.answer, written)
		}
	}
}

// terminal returns an interactive env with an empty home. stdin answers its questions.
func terminal(t *testing.T, stdin io.Reader) (e env, out, errs *bytes.Buffer) {
	t.Helper()
	e, err := newEnv()
	if err != nil {
		t.Fatal(err)
	}
	out, errs = &bytes.Buffer{}, &bytes.Buffer{}
	e.Home, e.StateDir = t.TempDir(), t.TempDir()
	e.Getenv = func(string) string { return "" }
	e.Stdin, e.Stdout, e.Stderr, e.Interactive = stdin, out, errs, true
	return e, out, errs
}

// hookedReader calls before once, before the first Read.
type hookedReader struct {
	io.Reader
	before func()
}

func (r *hookedReader) Read(p []byte) (int, error) {
	if r.before != nil {
		r.before()
		r.before = nil
	}
	return r.Reader.Read(p)
}

// Setup does not overwrite a file that changes while it waits for the answer. Row 22.
func TestSetupKeepsFileChangedDuringQuestion(t *testing.T) {
	stdin := &hookedReader{Reader: strings.NewReader("y\n")}
	e, out, errs := terminal(t, stdin)
	path := filepath.Join(e.Home, ".codex", "hooks.json")
	stdin.before = func() {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("theirs"), 0o600)); err != nil {
			t.Error(err)
		}
	}
	root := newRootCmd(e)
	root.SetArgs([]string{"setup", "--binary", installed, "--harness", "codex", "--server", "workflow-server", "--scope", "user", "--trust-codex-hooks"})
	if exit := e.report(root.Execute()); exit != 1 {
		t.Errorf("exit status %d", exit)
	}
	if !strings.Contains(filepath.ToSlash(errs.String()), "error: ~/.codex/hooks.json: it changed after the plan was made\nhint: nothing was written; run the command again") {
		t.Errorf("shown was\n%s\nsaid was\n%s", out, errs)
	}
	if content, err := os.ReadFile(path); err != nil || string(content) != "theirs" {
		t.Errorf("%q, %v", content, err)
	}
}
