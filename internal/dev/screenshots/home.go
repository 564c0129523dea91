package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"wsi/internal/testkit/samplehome"
)

// The screens show the home as shown. Its own path is as long, because lines are wrapped at paths, and setup shows the
// sizes of the files that it writes.
const shown = "/home/ada"

var homes = regexp.MustCompile(`/tmp/\.[a-z2-7]{3}`)

// home is a home folder with the configuration of four harnesses, their programs, and wsi.
type home struct {
	dir, cwd, program string
	programs          string // the folder of the harnesses' programs
	leave             func() error
}

// newHome makes a home that no other run uses, and builds wsi and the harnesses' programs.
func newHome(root string) (h home, err error) {
	for range 100 { // os.MkdirTemp makes longer names
		h.dir = "/tmp/." + strings.ToLower(rand.Text()[:3])
		if err = os.Mkdir(h.dir, 0o700); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err != nil {
		return h, err
	}
	h.cwd, h.program, h.programs = h.dir+"/src/demo", h.dir+"/.local/bin/wsi", h.dir+"-programs"
	h.leave = func() error { return errors.Join(os.RemoveAll(h.dir), os.RemoveAll(h.programs)) }
	if err := h.build(root); err != nil {
		return h, errors.Join(err, h.leave())
	}
	return h, nil
}

// built is the program of wsi, which each new home links.
func (h home) built() string { return filepath.Join(h.programs, "wsi") }

func (h home) build(root string) error {
	if err := os.Mkdir(h.programs, 0o700); err != nil {
		return err
	}
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -X main.release=0.1.0", "-o", h.built(), "./cmd/wsi")
	build.Dir, build.Env = root, append(build.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build wsi: %w\n%s", err, out)
	}
	return h.install()
}

// playCodex is the variable with which this program plays the app-server of Codex, which says which hooks it has.
const playCodex = "SCREENSHOTS_PLAY_CODEX"

// install writes fake programs of the harnesses, and links the programs that hooks need.
func (h home) install() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for name, version := range map[string]string{
		"claude": "2.1.329 (Claude Code)", "codex": "codex-cli 0.169.0", "cursor-agent": "3.14.7", "opencode": "1.18.33",
	} {
		script := "#!/bin/sh\n"
		if name == "codex" {
			script += "[ \"$1\" = app-server ] && " + playCodex + "=1 exec '" + self + "' \"$@\"\n"
		}
		script += "[ \"$1\" = --version ] && echo '" + version + "'\n"
		if err := os.WriteFile(filepath.Join(h.programs, name), []byte(script), 0o700); err != nil { //nolint:gosec // a program
			return err
		}
	}
	for _, tool := range []string{"sh", "node"} {
		if path, err := exec.LookPath(tool); err == nil {
			if err := os.Symlink(path, filepath.Join(h.programs, tool)); err != nil {
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
	if err := os.Link(h.built(), h.program); err != nil {
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
	return []string{"HOME=" + h.dir, "PATH=" + filepath.Dir(h.program) + ":" + h.programs, "LANG=C.UTF-8"}
}
