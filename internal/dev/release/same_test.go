//go:build release

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Two runs on the same commit write the same bytes, also in another folder, at another time, as another user of the
// machine would.
func TestReproducible(t *testing.T) {
	once := made(t, newer)
	again := once
	again.source, again.out = elsewhere(t, once), t.TempDir()
	t.Setenv("TZ", "Pacific/Auckland")
	t.Setenv("LC_ALL", "de_DE.UTF-8")
	t.Setenv("USER", "another")
	t.Setenv("GOFLAGS", "-trimpath=false -ldflags=-w -p=2")
	if err := again.make(t.Context()); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(once.out)
	if err != nil {
		t.Fatal(err)
	}
	others, err := os.ReadDir(again.out)
	if err != nil || len(others) != len(files) {
		t.Errorf("%d files, and then %d (%v)", len(files), len(others), err)
	}
	for _, entry := range files {
		a, err1 := os.ReadFile(filepath.Join(once.out, entry.Name()))
		b, err2 := os.ReadFile(filepath.Join(again.out, entry.Name()))
		if err1 != nil || err2 != nil || !bytes.Equal(a, b) {
			t.Errorf("%s is not the same (%v, %v)", entry.Name(), err1, err2)
		}
		if name, _ := os.Hostname(); len(name) > 4 && bytes.Contains(a, []byte(name)) {
			t.Errorf("%s names this machine", entry.Name())
		}
	}
	t.Logf("%d files are the same", len(files))
}

// Nothing that an earlier compilation left is needed, or changes the program.
func TestCompiledFromNothing(t *testing.T) {
	once := made(t, newer)
	again := once
	again.source = elsewhere(t, once)
	t.Setenv("GOCACHE", t.TempDir())
	again, program := again, filepath.Join(t.TempDir(), "wsi")
	data, err := again.build(t.Context(), host, program)
	if err != nil {
		t.Fatal(err)
	}
	before := filepath.Join(t.TempDir(), "wsi")
	unpackFile(t, once.path(t, "wsi_*_"+host.os+"_"+host.arch+".tar.gz"), "bin/wsi", before)
	if was, err := os.ReadFile(before); err != nil || !bytes.Equal(was, data) {
		t.Errorf("the program is not the same (%v)", err)
	}
	for _, path := range []string{once.source, again.source, os.Getenv("GOCACHE"), "/root/", os.Getenv("HOME") + "/"} {
		if len(path) > 4 && bytes.Contains(data, []byte(path)) {
			t.Errorf("the program contains the path %s", path)
		}
	}
}

// elsewhere returns a copy of the checkout, with nothing but its files.
func elsewhere(t *testing.T, r release) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "elsewhere")
	names, err := r.git(t.Context(), "ls-files")
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.Lines(names) {
		name = strings.TrimSpace(name)
		data, err := os.ReadFile(filepath.Join(r.source, name))
		if os.IsNotExist(err) {
			continue // deleted, and not yet committed
		}
		if err == nil {
			err = writeFile(filepath.Join(dir, name), data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	copied := release{source: dir}
	for _, args := range [][]string{{"init", "--quiet"}, {"add", "--all"}} { // the documents are those that git knows
		if _, err := copied.git(t.Context(), args...); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
