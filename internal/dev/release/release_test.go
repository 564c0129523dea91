package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wsi/internal/testkit/envtest"
)

func TestNewest(t *testing.T) {
	for changelog, want := range map[string]string{
		"# Changes\n\n## 0.9.0\n\ntext\n\n## 0.8.0\n": "0.9.0",
		"### 1.0.0\n## 0.9.0\r\n":                     "0.9.0",
		"# Changes\n\n## Unreleased\n\n## 0.8.0\n":    "",
		"## v0.9.0\n": "",
		"# Changes\n": "",
	} {
		if got, err := newest([]byte(changelog)); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", changelog, got, err)
		}
	}
}

// A release needs a tag, a clean checkout, and what only its publisher knows. A snapshot needs nothing.
func TestIdentify(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	envtest.Clear() // git reads many
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_COMMITTER_DATE=2026-11-22T10:00:00+01:00", "GIT_AUTHOR_DATE=2026-11-22T10:00:00+01:00")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	changes := filepath.Join(dir, "CHANGELOG.md")
	if err := os.WriteFile(changes, []byte("## 0.9.0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	git("init", "--quiet")
	git("add", ".")
	git("commit", "--quiet", "--message", "x")
	full := publisher{Homepage: "https://example.org", Downloads: "https://example.org/d", NPM: "@x/wsi", Maintainer: "A <a@example.org>"}
	identify := func(publish bool, change func(*publisher)) (release, string) {
		r := release{source: dir, publisher: full}
		change(&r.publisher)
		if err := r.identify(publish); err != nil {
			return r, err.Error()
		}
		return r, ""
	}
	same := func(*publisher) {}
	if r, err := identify(false, same); err != "" || r.version != "0.9.0-pre20261122090000" || !r.time.Equal(time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)) {
		t.Errorf("a snapshot: %+v, %s", r, err)
	}
	if _, err := identify(true, same); err != "to publish 0.9.0, tag the commit first: git tag v0.9.0" {
		t.Errorf("without a tag: %s", err)
	}
	git("tag", "v0.9.0")
	if r, err := identify(true, same); err != "" || r.version != "0.9.0" {
		t.Errorf("a release: %+v, %s", r, err)
	}
	for want, change := range map[string]func(*publisher){
		"NPM=@wsi.invalid/wsi: ":           func(p *publisher) { p.NPM = snapshot.NPM },
		"MAINTAINER=: ":                    func(p *publisher) { p.Maintainer = "" },
		"DOWNLOADS=http://example.org/d: ": func(p *publisher) { p.Downloads = "http://example.org/d" },
		"NPM=wsi: ":                        func(p *publisher) { p.NPM = "wsi" },
		"NPM=@x/wsi/y: ":                   func(p *publisher) { p.NPM = "@x/wsi/y" },
	} {
		if _, err := identify(true, change); !strings.HasPrefix(err, want) {
			t.Errorf("want %q: %s", want, err)
		}
	}
	if err := os.WriteFile(changes, []byte("## 0.9.0\nmore\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := identify(true, same); !strings.Contains(err, "to publish, commit or remove what git status shows") {
		t.Errorf("with a change: %s", err)
	}
}
