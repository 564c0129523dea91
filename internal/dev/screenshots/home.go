package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"wsi/internal/testkit/samplehome"
)

// The paths of the temporary home. They are constant, because the screens show hashes of paths and lines wrapped at
// paths. place is as long as shown, because setup shows the sizes of the files that it writes.
const (
	place    = "/tmp/.ada"
	shown    = "/home/ada"
	programs = "/tmp/.ada-programs"
	built    = programs + "/wsi"
)

// home is a home folder with the configuration of four harnesses, their programs, and wsi.
type home struct {
	dir, cwd, program string
	leave             func() error
}

// newHome waits until no other run uses the home, and builds wsi and the harnesses' programs.
func newHome(ctx context.Context, root string) (home, error) {
	h := home{dir: place, cwd: place + "/src/demo", program: place + "/.local/bin/wsi"}
	lock := flock.New(place + ".lock")
	if _, err := lock.TryLockContext(ctx, 100*time.Millisecond); err != nil {
		return h, fmt.Errorf("wait for %s: %w", lock.Path(), err)
	}
	h.leave = func() error { return errors.Join(os.RemoveAll(place), os.RemoveAll(programs), lock.Unlock()) }
	if err := h.build(root); err != nil {
		return h, errors.Join(err, h.leave())
	}
	return h, nil
}

func (h home) build(root string) error {
	if err := os.RemoveAll(programs); err != nil { // left by a killed run
		return err
	}
	if err := os.Mkdir(programs, 0o700); err != nil {
		return err
	}
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w -X main.release=0.1.0", "-o", built, "./cmd/wsi")
	build.Dir, build.Env = root, append(build.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build wsi: %w\n%s", err, out)
	}
	return h.install()
}

// install writes fake programs of the harnesses, and links the programs that hooks need.
func (h home) install() error {
	for name, version := range map[string]string{
		"claude": "2.1.329 (Claude Code)", "codex": "codex-cli 0.169.0", "cursor-agent": "3.14.7", "opencode": "1.18.33",
	} {
		script := "#!/bin/sh\n[ \"$1\" = --version ] && echo '" + version + "'\n"
		if err := os.WriteFile(filepath.Join(programs, name), []byte(script), 0o700); err != nil { //nolint:gosec // a program
			return err
		}
	}
	for _, tool := range []string{"sh", "node"} {
		if path, err := exec.LookPath(tool); err == nil {
			if err := os.Symlink(path, filepath.Join(programs, tool)); err != nil {
				return err
			}
		}
	}
	return nil
}

// create makes a new home with wsi, a project folder, and the sample files of internal/dev/demo.
func (h home) create() error {
	if err := os.RemoveAll(h.dir); err != nil {
		return err
	}
	if err := os.Mkdir(h.dir, 0o700); err != nil {
		return err
	}
	for _, dir := range []string{h.cwd, filepath.Dir(h.program)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	if err := os.Link(built, h.program); err != nil {
		return err
	}
	for name, content := range samplehome.Files(h.dir) {
		if strings.HasPrefix(name, ".cursor/") { // as edited on Windows
			content = strings.ReplaceAll(content, "\n", "\r\n")
		}
		target := filepath.Join(h.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(target, []byte(content), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// env returns the whole environment of programs in the home.
func (h home) env() []string {
	return []string{"HOME=" + h.dir, "PATH=" + filepath.Dir(h.program) + ":" + programs, "LANG=C.UTF-8"}
}
