//go:build release

package main

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The archive of this platform, unpacked as README says.
func TestArchive(t *testing.T) {
	needs(t, "tar")
	r, u := made(t, newer), newUser(t)
	prefix := u.dir(".local")
	unpack := func(r release, prefix string) {
		pattern := "wsi_*_" + host.os + "_" + host.arch + ".tar.gz"
		must(t, "tar", "-xzf", r.path(t, pattern), "-C", prefix, "--strip-components=1")
	}
	unpack(made(t, older), prefix)
	program := filepath.Join(prefix, "bin", "wsi")
	u.setUp(program, program, "0.8.9")
	unpack(r, prefix)
	u.upgraded(program, r.version)
	readable(t, prefix)

	// The same in another folder, as a package after a wsi that was built from source: setup registers the new one.
	opt, moved := u.dir("opt"), program
	unpack(r, opt)
	program = filepath.Join(opt, "bin", "wsi")
	u.setUp(program, program, r.version)
	if strings.Contains(u.settings(), moved) {
		t.Errorf("%s is still registered", moved)
	}
	u.must(program, "remove", "--yes")
	if strings.Contains(u.settings(), program) {
		t.Error("wsi remove left hooks")
	}
}

// readable checks what is installed besides the program: manual pages, completions, and documents with their links.
func readable(t *testing.T, prefix string) {
	t.Helper()
	pages, err := filepath.Glob(filepath.Join(prefix, "share/man/man1/wsi*.1.gz"))
	if err != nil || len(pages) < 15 {
		t.Errorf("%d manual pages, %v", len(pages), err)
	}
	if _, err := exec.LookPath("man"); err == nil {
		for _, page := range pages {
			if out := must(t, "man", "--warnings", "-l", page); regexp.MustCompile(`:\d+: warning`).MatchString(out) || !strings.Contains(out, "NAME") {
				t.Errorf("%s:\n%s", page, out)
			}
		}
	} else {
		t.Log("NOT TESTED HERE: how man shows the manual pages")
	}
	if _, err := exec.LookPath("bash"); err == nil {
		must(t, "bash", "-n", filepath.Join(prefix, "share/bash-completion/completions/wsi"))
	}
	link := regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)|srcset="([^"]+)"|src="([^"]+)"`)
	links := 0
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/decisions/*.md"} {
		documents, err := filepath.Glob(filepath.Join(prefix, docs, pattern))
		if err != nil || len(documents) == 0 {
			t.Fatalf("no documents: %v", err)
		}
		for _, document := range documents {
			text, err := os.ReadFile(document)
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range link.FindAllStringSubmatch(string(text), -1) {
				to := filepath.Join(filepath.Dir(document), found[1]+found[2]+found[3])
				links++
				if _, err := os.Stat(to); err != nil && strings.HasPrefix(to, filepath.Join(prefix, docs)) {
					t.Errorf("%s links to %s, which is not installed", filepath.Base(document), found[0])
				}
			}
		}
	}
	if links < 50 {
		t.Errorf("only %d links were found in the documents", links)
	}
}

// wsi needs no libc, so it runs with any: with an old glibc, with musl, and with none.
func TestStatic(t *testing.T) {
	needsLinux(t)
	for _, p := range []platform{{"linux", "amd64"}, {"linux", "arm64"}} {
		path := filepath.Join(t.TempDir(), "wsi")
		unpackFile(t, made(t, newer).path(t, "wsi_*_linux_"+p.arch+".tar.gz"), "bin/wsi", path)
		f, err := elf.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for _, prog := range f.Progs {
			if prog.Type == elf.PT_INTERP || prog.Type == elf.PT_DYNAMIC {
				t.Errorf("linux/%s: the program asks for a dynamic linker", p.arch)
			}
		}
		if p != host {
			continue
		}
		if os.Getuid() != 0 {
			t.Log("NOT TESTED HERE: running wsi in an empty root folder, which only root can do")
			continue
		}
		if out := must(t, "chroot", filepath.Dir(path), "/wsi", "version"); !strings.HasPrefix(out, "wsi version ") {
			t.Errorf("in a root folder with nothing else, wsi prints %q", out)
		}
	}
}

// unpackFile copies one file of a tarball.
func unpackFile(t *testing.T, tarball, name, to string) {
	t.Helper()
	dir := t.TempDir()
	must(t, "tar", "-xzf", tarball, "-C", dir)
	found, err := filepath.Glob(filepath.Join(dir, "*", name))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s in %s: %q, %v", name, tarball, found, err)
	}
	if err := os.Rename(found[0], to); err != nil {
		t.Fatal(err)
	}
}

// The checksums are those that sha256sum computes.
func TestChecksums(t *testing.T) {
	needs(t, "sha256sum")
	r := made(t, newer)
	cmd := exec.Command("sha256sum", "--check", "--strict", "SHA256SUMS")
	cmd.Dir = r.out
	out, err := cmd.CombinedOutput()
	files, _ := os.ReadDir(r.out)
	if ok := strings.Count(string(out), ": OK\n"); err != nil || ok != len(files)-1 {
		t.Errorf("%d of %d files are right: %v\n%s", ok, len(files)-1, err, out)
	}
	if len(files) != 6+6+6+2+1+6+1 {
		t.Errorf("a release of %d files", len(files)) // archives, lists of parts, Linux, manifests, npm
	}
}
