package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// In a terminal the difference is shown, and nothing but a yes writes it.
func TestATerminalIsAsked(t *testing.T) {
	for _, c := range []struct {
		answer string
		exit   int
	}{{"y\n", 0}, {"YES\n", 0}, {"\n", 3}, {"no\n", 3}, {"yesterday\n", 3}, {"", 3}} {
		e, err := newEnv()
		if err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		e.Home, e.StateDir = t.TempDir(), t.TempDir()
		e.Getenv = func(string) string { return "" }
		e.Stdin, e.Stdout, e.Stderr, e.Interactive = strings.NewReader(c.answer), &out, &errs, true
		root := newRootCmd(e)
		root.SetArgs([]string{"setup", "--binary", "/usr/local/bin/wsi", "--harness", "codex"})
		if exit := e.report(root.Execute()); exit != c.exit {
			t.Errorf("%q: exit status %d, want %d\n%s", c.answer, exit, c.exit, errs.String())
		}
		if !strings.Contains(out.String(), `"/usr/local/bin/wsi inject --harness codex"`) || !strings.Contains(out.String(), "Write 1 file? [y/N]") {
			t.Errorf("%q: shown was\n%s", c.answer, out.String())
		}
		_, err = os.Stat(filepath.Join(e.Home, ".codex", "hooks.json"))
		if written := err == nil; written != (c.exit == 0) {
			t.Errorf("%q: the file was written: %v", c.answer, written)
		}
	}
}
