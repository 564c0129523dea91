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
	for name, c := range map[string]struct{ changelog, want, err string }{
		"a version":    {"# Changes\n\n## 0.9.0\n\ntext\n\n## 0.8.0\n", "0.9.0", ""},
		"unreleased":   {"# Changes\n\n## Unreleased\n\n## 0.8.0\n", "", `the first heading is "Unreleased", not a version such as 1.2.3`},
		"with a v":     {"## v0.9.0\n", "", `the first heading is "v0.9.0", not a version such as 1.2.3`},
		"no heading":   {"# Changes\n", "", "CHANGELOG.md has no heading with a version"},
		"a subheading": {"### 1.0.0\n## 0.9.0\r\n", "0.9.0", ""},
	} {
		got, err := newest([]byte(c.changelog))
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.HasSuffix(err.Error(), c.err) {
			t.Errorf("%s: %q, %v", name, got, err)
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
	identify := func(publish bool, p publisher) (release, string) {
		r := release{source: dir, publisher: p}
		if err := r.identify(t.Context(), publish); err != nil {
			return r, err.Error()
		}
		return r, ""
	}
	full := publisher{Homepage: "https://example.org", Downloads: "https://example.org/d", NPM: "@x/wsi", Maintainer: "A <a@example.org>"}

	if r, err := identify(false, publisher{}); err != "" || r.version != "0.9.0-pre20261122090000" || r.changed || r.Homepage != "https://wsi.invalid" || !r.time.Equal(time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)) {
		t.Errorf("a snapshot: %+v, %s", r, err)
	}
	if _, err := identify(true, full); err != "to publish 0.9.0, tag the commit first: git tag v0.9.0" {
		t.Errorf("without a tag: %s", err)
	}
	git("tag", "v0.9.0")
	if r, err := identify(true, full); err != "" || r.version != "0.9.0" || r.publisher != full {
		t.Errorf("a release: %+v, %s", r, err)
	}
	if _, err := identify(true, publisher{Homepage: "https://example.org"}); err != "only the publisher knows DOWNLOADS, NPM, MAINTAINER: make release PUBLISH=1 needs them as NAME=VALUE" {
		t.Errorf("without a publisher: %s", err)
	}
	plain := full
	plain.Downloads = "http://example.org/d"
	if _, err := identify(true, plain); err != "not an https address: http://example.org/d" {
		t.Errorf("http: %s", err)
	}
	for _, name := range []string{"wsi", "@x", "@x/", "@/wsi", "@x/wsi/y", "@X/wsi", "@x/wsi "} {
		unscoped := full
		unscoped.NPM = name
		if _, err := identify(true, unscoped); err != "NPM="+name+" is not @SCOPE/NAME; without a scope of yours, others could publish the packages of the platforms" {
			t.Errorf("npm's name %q: %s", name, err)
		}
	}
	if err := os.WriteFile(changes, []byte("## 0.9.0\nmore\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := identify(true, full); err != "to publish, commit or remove what git status shows" {
		t.Errorf("with a change: %s", err)
	}
}

// The name and the time of a file, and the order of files, are all that an archive has besides their contents.
func TestTarball(t *testing.T) {
	at := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	a, b := file{name: "a/x", mode: 0o755, data: []byte("x")}, file{name: "b", mode: 0o644}
	for name, pack := range map[string]func(tree, time.Time) ([]byte, error){"tar": tree.tarball, "zip": tree.zip} {
		one, err := pack(tree{b, a}.sorted("f/"), at)
		if err != nil {
			t.Fatal(err)
		}
		two, err := pack(tree{a, b}.sorted("f/"), at.In(time.FixedZone("", 3600)))
		if err != nil || string(one) != string(two) {
			t.Errorf("%s: two archives of the same files differ (%v)", name, err)
		}
	}
	if got := strings.Join(tree{a, b, {name: "a/b/c/d"}}.folders("a/"), " "); got != "a/ a/b/ a/b/c/" {
		t.Errorf("folders: %s", got)
	}
}

func TestNPMFile(t *testing.T) {
	for name, want := range map[string]string{"wsi": "wsi-1.2.3.tgz", "@acme/wsi-linux-x64": "acme-wsi-linux-x64-1.2.3.tgz"} {
		if got := npmFile(name, "1.2.3"); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
