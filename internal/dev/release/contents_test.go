//go:build release

package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The manifests name for each system the archive that was made for it, with files that are in it.
func TestManifests(t *testing.T) {
	needs(t, "tar")
	t.Log("NOT TESTED HERE: Homebrew and Scoop themselves")
	r := made(t, newer)
	cask, scoop := read(t, r.path(t, "wsi.rb")), read(t, r.path(t, "wsi.json"))
	sums := read(t, r.path(t, "SHA256SUMS"))
	for _, p := range all {
		name, manifest := r.path(t, "wsi_*_"+p.os+"_"+p.arch+".*[pz]"), cask
		if p.os == "windows" {
			manifest = scoop
		}
		sum := regexp.MustCompile(`(?m)^(\w+)  ` + regexp.QuoteMeta(filepath.Base(name)) + `$`).FindStringSubmatch(sums)
		if sum == nil || strings.Count(manifest, sum[1]) != 1 {
			t.Errorf("%s is not in the manifest with %q", name, sum)
		}
	}
	var m struct {
		Bin          string
		Architecture map[string]struct{ URL string }
	}
	if err := json.Unmarshal([]byte(scoop), &m); err != nil || m.Bin != `bin\wsi.exe` || !strings.HasSuffix(m.Architecture["64bit"].URL, "/downloads/wsi_"+r.version+"_windows_amd64.zip") {
		t.Errorf("%+v, %v", m, err)
	}
	there := strings.Fields(must(t, "tar", "-tzf", r.path(t, "wsi_*_darwin_arm64.tar.gz")))
	files := regexp.MustCompile(`(?m)^  (?:binary|manpage|\w+_completion) "#\{folder\}/(.*)"$`).FindAllStringSubmatch(cask, -1)
	for _, file := range files {
		if !slices.Contains(there, "wsi_"+r.version+"_darwin_arm64/"+file[1]) {
			t.Errorf("%s is not in the archive", file[1])
		}
	}
	if len(files) < 15 {
		t.Errorf("only %q", files)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// The list of parts has the modules that the linker recorded in the program, and their licenses are in the archive.
func TestParts(t *testing.T) {
	needs(t, "tar")
	r := made(t, newer)
	dir := t.TempDir()
	program, notices := filepath.Join(dir, "wsi"), filepath.Join(dir, "notices")
	tarball := r.path(t, "wsi_*_"+host.os+"_"+host.arch+".tar.gz")
	unpackFile(t, tarball, "bin/wsi", program)
	unpackFile(t, tarball, "share/doc/wsi/THIRD-PARTY.txt", notices)
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"std": strings.TrimPrefix(info.GoVersion, "go")}
	for _, m := range info.Deps {
		want[m.Path] = m.Version
	}
	var list struct {
		Components []struct{ Name, Version string }
	}
	if err := json.Unmarshal([]byte(read(t, r.path(t, "wsi_*_"+host.os+"_"+host.arch+".cdx.json"))), &list); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, c := range list.Components {
		got[c.Name] = c.Version
	}
	if !maps.Equal(got, want) || len(got) < 10 {
		t.Errorf("%v, want %v", got, want)
	}
	if text := read(t, notices); !strings.Contains(text, "\ngithub.com/spf13/cobra v") || !strings.Contains(text, "The Go Authors") {
		t.Error(text)
	}
}

// Two runs on the same commit write the same bytes, also in another folder, at another time, as another user of the
// machine would. Nothing names this machine.
func TestReproducible(t *testing.T) {
	once := made(t, newer)
	again := once
	again.source, again.out = elsewhere(t, once), t.TempDir()
	t.Setenv("TZ", "Pacific/Auckland")
	t.Setenv("LC_ALL", "de_DE.UTF-8")
	t.Setenv("USER", "another")
	t.Setenv("GOFLAGS", "-trimpath=false -ldflags=-w -p=2")
	if err := again.make(); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(once.out)
	if err != nil {
		t.Fatal(err)
	}
	host, _ := os.Hostname()
	for _, entry := range files {
		a, b := read(t, filepath.Join(once.out, entry.Name())), read(t, filepath.Join(again.out, entry.Name()))
		if a != b {
			t.Errorf("%s is not the same", entry.Name())
		}
		for _, local := range []string{host, once.source, again.source, "/root/", os.Getenv("HOME") + "/"} {
			if len(local) > 4 && bytes.Contains([]byte(a), []byte(local)) {
				t.Errorf("%s contains %s", entry.Name(), local)
			}
		}
	}
	t.Logf("%d files are the same", len(files))
}

// elsewhere returns a copy of the checkout, which must be as it was committed.
func elsewhere(t *testing.T, r release) string {
	t.Helper()
	if must(t, "git", "-C", r.source, "status", "--porcelain") != "" {
		t.Skip("NOT TESTED HERE: there are changes that are not committed")
	}
	dir := filepath.Join(t.TempDir(), "elsewhere")
	must(t, "git", "clone", "--quiet", r.source, dir)
	return dir
}
