package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The screens in docs are up to date. After an intended change run make screens and look at them.
func TestScreensInDocs(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	if runtime.GOOS != "linux" {
		t.Skip("the screens are taken on Linux")
	}
	root := filepath.Join("..", "..", "..")
	got, err := take(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadDir(filepath.Join(root, "docs", "screens"))
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kept {
		if _, ok := got[k.Name()]; !ok && !k.IsDir() && filepath.Ext(k.Name()) != ".md" {
			t.Errorf("docs/screens/%s was removed", k.Name())
		}
	}
	for name, now := range got {
		old, err := os.ReadFile(filepath.Join(root, "docs", "screens", name))
		if err != nil {
			t.Error(err)
		} else if filepath.Ext(name) == ".txt" {
			if diff := cmp.Diff(strings.Split(string(old), "\n"), strings.Split(string(now), "\n")); diff != "" {
				t.Errorf("docs/screens/%s:\n%s", name, diff)
			}
		} else if string(old) != string(now) {
			t.Errorf("docs/screens/%s differs", name)
		}
	}
}
