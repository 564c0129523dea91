//go:build release

package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The archive for Linux on arm64, run by an emulator of its processor. The hooks run it, too: what is registered is a script
// that starts the emulator.
func TestArchiveOnARM(t *testing.T) {
	needsLinux(t)
	if host.arch == "arm64" {
		t.Skip("TestArchive has run it")
	}
	emulator, err := exec.LookPath("qemu-aarch64")
	if err != nil {
		t.Skip("NOT TESTED HERE: there is no qemu-aarch64 (Debian's package qemu-user)")
	}
	r, u := made(t, newer), newUser(t)
	program, called := filepath.Join(u.dir("opt"), "wsi"), filepath.Join(u.bin, "wsi")
	unpackFile(t, r.path(t, "wsi_*_linux_arm64.tar.gz"), "bin/wsi", program)
	if err := writeFile(called, []byte("#!/bin/sh\nexec "+emulator+" "+program+" \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if out := u.must(called, "version"); out != "wsi version "+r.version+"\n" {
		t.Errorf("wsi version prints %q", out)
	}
	u.must(called, "setup", "--yes", "--harness", "claude-code", "--binary", called)
	if out := u.must(called, "doctor", "--harness", "claude-code"); !strings.Contains(out, "53 of 53 right") {
		t.Errorf("the doctor prints:\n%s", out)
	}
	u.must(called, "remove", "--yes")
}
