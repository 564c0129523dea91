package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// Where the throw-away home stands, and what belongs to it. It is always there, because hashes of
// paths and the ends of wrapped lines show on the screens; and it has as many characters as the home
// that is shown instead, because setup rightly shows what it writes to the byte.
const (
	place = "/tmp/.ada"
	shown = "/home/ada"
	aside = "/tmp/.ada-programs"
	built = aside + "/wsi"
)

// home is a home with the configuration of four harnesses, their programs, and wsi.
type home struct {
	dir, cwd, program string
	leave             func() error
}

// newHome waits until no other run is in the home, and builds what is needed to live there.
func newHome(ctx context.Context, root string) (home, error) {
	h := home{dir: place, cwd: place + "/src/demo", program: place + "/.local/bin/wsi"}
	lock := flock.New(place + ".lock")
	if _, err := lock.TryLockContext(ctx, 100*time.Millisecond); err != nil {
		return h, fmt.Errorf("wait for %s: %w", lock.Path(), err)
	}
	h.leave = func() error { return errors.Join(os.RemoveAll(place), os.RemoveAll(aside), lock.Unlock()) }
	if err := h.build(root); err != nil {
		return h, errors.Join(err, h.leave())
	}
	return h, nil
}

func (h home) build(root string) error {
	if err := os.RemoveAll(aside); err != nil { // of a run that was killed
		return err
	}
	if err := os.Mkdir(aside, 0o700); err != nil {
		return err
	}
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w -X main.release=0.1.0", "-o", built, "./cmd/wsi")
	build.Dir, build.Env = root, append(build.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build wsi: %w\n%s", err, out)
	}
	return h.install()
}

// install writes the harnesses' programs, as far as setup runs them, and links what hooks need.
func (h home) install() error {
	for name, version := range map[string]string{
		"claude": "2.1.329 (Claude Code)", "codex": "codex-cli 0.169.0", "cursor-agent": "3.14.7", "opencode": "1.18.33",
	} {
		script := "#!/bin/sh\n[ \"$1\" = --version ] && echo '" + version + "'\n"
		if err := os.WriteFile(filepath.Join(aside, name), []byte(script), 0o700); err != nil { //nolint:gosec // a program
			return err
		}
	}
	for _, tool := range []string{"sh", "node"} {
		if path, err := exec.LookPath(tool); err == nil {
			if err := os.Symlink(path, filepath.Join(aside, tool)); err != nil {
				return err
			}
		}
	}
	return nil
}

// furnish makes the home as nobody has been in it: with wsi, a project to be in, and the sample files
// that internal/dev/demo shows to newcomers.
func (h home) furnish(root string) error {
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
	samples := filepath.Join(root, "internal", "dev", "demo", "home")
	return filepath.WalkDir(samples, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(samples, path)
		if err != nil {
			return err
		}
		name = strings.ReplaceAll(filepath.ToSlash(name), "dot-", ".")
		content = bytes.ReplaceAll(content, []byte("{{HOME}}"), []byte(h.dir))
		if strings.HasPrefix(name, ".cursor/") { // of somebody who moves between systems
			content = bytes.ReplaceAll(content, []byte("\n"), []byte("\r\n"))
		}
		target := filepath.Join(h.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
			return err
		}
		return os.WriteFile(target, content, 0o600)
	})
}

// env is the whole environment of what runs in the home.
func (h home) env() []string {
	return []string{"HOME=" + h.dir, "PATH=" + filepath.Dir(h.program) + ":" + aside, "LANG=C.UTF-8"}
}
