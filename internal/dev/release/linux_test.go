//go:build release

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const sentence = "wsi: every user of wsi should run this before the package is removed: wsi remove\n"

// onLinux installs the older package, upgrades it, and removes it, with wsi registered all the time. The package manager keeps
// its database, and everything that it installs, below the folder system.
func onLinux(t *testing.T, u *user, system, pattern string, install, remove func(arg string) (out string)) {
	t.Helper()
	program := filepath.Join(system, "usr", "bin", "wsi")
	install(made(t, older).path(t, pattern))
	u.vars = append(u.vars, "PATH="+filepath.Dir(program)+":"+filepath.Join(u.home, "tools"))
	u.setUp(program, program, "0.8.9")
	r := made(t, newer)
	if out := install(r.path(t, pattern)); strings.Contains(out, "wsi remove") {
		t.Errorf("an upgrade speaks of removing:\n%s", out)
	}
	u.upgraded(program, r.version)
	readable(t, filepath.Join(system, "usr"))
	if out := remove("wsi"); !strings.Contains(out, sentence) {
		t.Errorf("removing the package does not name wsi remove:\n%s", out)
	}
	u.removed(program, filepath.Join(system, "usr/share/doc/wsi"), filepath.Join(system, "usr/share/man/man1/wsi.1.gz"))
}

func TestDeb(t *testing.T) {
	needsLinux(t)
	needs(t, "dpkg")
	u := newUser(t)
	system := u.dir("system")
	for _, dir := range []string{"info", "updates", "triggers"} {
		u.dir("system/var/lib/dpkg/" + dir)
	}
	if err := writeFile(filepath.Join(system, "var/lib/dpkg/status"), nil); err != nil {
		t.Fatal(err)
	}
	dpkg := func(args ...string) func(string) string {
		return func(arg string) string {
			return must(t, "dpkg", append(append([]string{"--root=" + system, "--force-not-root", "--force-script-chrootless", "--force-bad-path"}, args...), arg)...)
		}
	}
	onLinux(t, u, system, "*_"+host.arch+".deb", dpkg("--install"), dpkg("--remove"))
}

func TestRPM(t *testing.T) {
	needsLinux(t)
	needs(t, "rpm")
	if os.Getuid() != 0 {
		t.Skip("NOT TESTED HERE: only root can install an .rpm below a folder")
	}
	u := newUser(t)
	system := u.dir("system")
	shellIn(t, system)
	rpm := func(args ...string) func(string) string {
		return func(arg string) string {
			return must(t, "rpm", append(append([]string{"--root", system}, args...), arg)...)
		}
	}
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[host.arch]
	onLinux(t, u, system, "*."+arch+".rpm", rpm("--upgrade", "--nodeps"), rpm("--erase"))
}

// shellIn copies sh, and the libraries that it needs, below a folder, where rpm runs the scripts of packages.
func shellIn(t *testing.T, system string) {
	t.Helper()
	for _, field := range append(strings.Fields(must(t, "ldd", "/bin/sh")), "/bin/sh") {
		if !strings.HasPrefix(field, "/") {
			continue
		}
		data, err := os.ReadFile(field)
		if err == nil {
			err = errors.Join(writeFile(filepath.Join(system, field), data), os.Chmod(filepath.Join(system, field), 0o755))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Without apk the package is unpacked as what it is: three tarballs in a row, the second with what apk reads.
func TestAPK(t *testing.T) {
	needsLinux(t)
	needs(t, "tar")
	t.Log("NOT TESTED HERE: apk itself")
	system := t.TempDir()
	r := made(t, newer)
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[host.arch]
	must(t, "tar", "--warning=no-unknown-keyword", "-xzf", r.path(t, "*_"+arch+".apk"), "-C", system)
	info, err := os.ReadFile(filepath.Join(system, ".PKGINFO"))
	for _, line := range []string{"pkgname = wsi\n", "pkgver = " + strings.Replace(r.version, "-pre", "_pre", 1) + "\n", "arch = " + arch + "\n"} {
		if err != nil || !strings.Contains(string(info), line) {
			t.Errorf("%q is not in .PKGINFO (%v):\n%s", line, err, info)
		}
	}
	if out := must(t, filepath.Join(system, ".pre-deinstall"), "0.8.9"); !strings.Contains(out, sentence) {
		t.Errorf("removing the package does not name wsi remove:\n%s", out)
	}
	if out := must(t, filepath.Join(system, "usr/bin/wsi"), "version"); out != "wsi version "+r.version+"\n" {
		t.Errorf("wsi version prints %q", out)
	}
	readable(t, filepath.Join(system, "usr"))
}
