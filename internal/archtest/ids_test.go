package archtest

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"wsi/harnesses/setup/registry"
)

// Strings that are spelled like a harness's id and mean something else.
var notIDs = map[string][]string{
	"doctor/toollist/toollist.go":     {"cursor"},               // of a list in pages (MCP)
	"relay/greeting.go":               {"cursor"},               // the same
	"doctor/live/harness_opencode.go": {"opencode"},             // a folder
	"hook/carry/repair_handsoff.go":   {"cursor"},               // an argument's name
	"hook/rules/builtin_values.go":    {"claude-code", "codex"}, // MCP servers, and a tool of one
}

// What differs between harnesses is in harnesses/: no other package names one.
func TestNoHarnessIsNamedOutsideHarnesses(t *testing.T) {
	ids := map[string]bool{}
	for _, h := range registry.All() {
		ids[h.ID] = true
	}
	root := filepath.Join("..", "..")
	files := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		name = filepath.ToSlash(name)
		if d.IsDir() {
			if slices.Contains([]string{"harnesses", "internal/dev", "internal/testkit", "node_modules"}, name) || d.Name() == "testdata" || name != "." && strings.HasPrefix(d.Name(), ".") {
				return fs.SkipDir
			}
			return err
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		files++
		text, err := os.ReadFile(path)
		for _, word := range quoted(text) {
			if ids[word] && !slices.Contains(notIDs[name], word) {
				t.Errorf("%s names the harness %q: make what differs a field of setup.Harness", name, word)
			}
		}
		return err
	})
	if err != nil || files < 100 {
		t.Fatalf("%d files, %v", files, err)
	}
	if got := quoted([]byte("package p\nvar a, b = \"codex\", `zed` // \"cursor\"")); !slices.Equal(got, []string{"codex", "zed"}) {
		t.Errorf("the strings of a file: %q", got)
	}
}

// quoted returns the string literals of a Go file.
func quoted(text []byte) (all []string) {
	var s scanner.Scanner
	files := token.NewFileSet()
	s.Init(files.AddFile("", files.Base(), len(text)), text, nil, 0)
	for {
		_, kind, literal := s.Scan()
		if kind == token.EOF {
			return all
		}
		if word, err := strconv.Unquote(literal); kind == token.STRING && err == nil {
			all = append(all, word)
		}
	}
}
