package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDifferences(t *testing.T) {
	h := &home{dir: t.TempDir()}
	write := func(name, content string, mode os.FileMode) {
		t.Helper()
		path := filepath.Join(h.dir, name)
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
	}
	look := func() map[string]string {
		t.Helper()
		s, err := h.snapshot()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	write("same", "x", 0o600)
	write("edited", "{}", 0o600)
	write("gone", "x", 0o600)
	before := look()
	if d := differences(before, look()); d != nil {
		t.Errorf("nothing was changed: %v", d)
	}
	write("edited", "{}\n", 0o600)
	write("new", "", 0o600)
	if err := os.Remove(filepath.Join(h.dir, "gone")); err != nil {
		t.Fatal(err)
	}
	sep := string(filepath.Separator)
	want := []string{"~" + sep + "edited", "~" + sep + "gone", "~" + sep + "new"}
	if diff := cmp.Diff(want, differences(before, look())); diff != "" {
		t.Error(diff)
	}
}

func TestShorten(t *testing.T) {
	old := "--- ~/a\n+++ ~/a\n@@ -1 +1,40 @@\n" + strings.Repeat("+line\n", 40)
	isNew := "--- /dev/null\n+++ ~/b\n@@ -0,0 +1,15 @@\n"
	got := shorten(old + isNew + strings.Repeat("+line\n", 15) + "done\n")
	want := old + isNew + strings.Repeat("+line\n", 12) + "... and 3 more lines\ndone\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
