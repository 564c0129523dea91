package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"wsi/internal/testkit/buildtest"
	"wsi/internal/testkit/samplehome"
)

// home is a temporary home folder with wsi.
type home struct {
	root    string // removed at the end
	dir     string // $HOME
	program string // wsi
}

func newHome() (*home, error) {
	root, err := os.MkdirTemp("", "wsi-demo-")
	if err != nil {
		return nil, err
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	h := &home{root: root, dir: filepath.Join(root, "home")}
	h.program = filepath.Join(h.dir, ".local", "bin", "wsi")
	if runtime.GOOS == "windows" {
		h.program += ".exe"
	}
	if err := h.create(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(root))
	}
	return h, nil
}

// create writes the sample files, a project folder, wsi, and links to the programs that hooks need.
func (h *home) create() error {
	for name, content := range samplehome.Files(filepath.ToSlash(h.dir)) {
		path := filepath.Join(h.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			return err
		}
	}
	for _, dir := range []string{h.project(), h.tools(), filepath.Join(h.dir, ".local", "state")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	for _, tool := range []string{"sh", "node"} {
		if path, err := exec.LookPath(tool); err == nil && runtime.GOOS != "windows" {
			if err := os.Symlink(path, filepath.Join(h.tools(), tool)); err != nil {
				return err
			}
		}
	}
	return errors.Join(h.installCodex(), buildtest.Build(h.program, buildtest.Wsi))
}

// installCodex copies this program under the name of Codex, which alone says what an approval of its hooks is.
func (h *home) installCodex() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	content, err := os.ReadFile(self)
	if err != nil {
		return err
	}
	name := "codex"
	if runtime.GOOS == "windows" {
		name = "codex.exe"
	}
	return os.WriteFile(filepath.Join(h.tools(), name), content, 0o700) //nolint:gosec // a program
}

func (h *home) project() string { return filepath.Join(h.dir, "src", "demo") }
func (h *home) tools() string   { return filepath.Join(h.root, "tools") }

// env returns the whole environment of programs in the home. Its PATH contains no harnesses of this machine.
func (h *home) env() []string {
	path := h.tools()
	if runtime.GOOS == "windows" {
		path += string(filepath.ListSeparator) + os.Getenv("PATH") // links need a privilege, and sh is missing
	}
	return []string{
		"HOME=" + h.dir, "USERPROFILE=" + h.dir, "PATH=" + filepath.Dir(h.program) + string(filepath.ListSeparator) + path,
		"TMPDIR=" + h.root, "TMP=" + h.root, "TEMP=" + h.root, "SYSTEMROOT=" + os.Getenv("SYSTEMROOT"),
	}
}

// snapshot returns the mode and content of every file in the home.
func (h *home) snapshot() (map[string]string, error) {
	all := map[string]string{}
	err := filepath.WalkDir(h.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		var content []byte
		if info.Mode().IsRegular() {
			content, err = os.ReadFile(path)
		}
		all[strings.TrimPrefix(path, h.dir)] = info.Mode().String() + string(content)
		return err
	})
	return all, err
}

// wsi runs a wsi command in the home, and prints at most so many lines of its output, without the empty ones.
func (h *home) wsi(most int, args ...string) error {
	command := "$ wsi " + strings.Join(args, " ")
	fmt.Println(command)
	if args[0] == "setup" {
		args = append(args, "--binary", h.program) // it is not installed
	}
	cmd := exec.Command(h.program, args...)
	cmd.Dir, cmd.Env = h.project(), h.env()
	out, err := cmd.CombinedOutput()
	shown := strings.ReplaceAll(string(out), h.dir, "~")
	lines := slices.DeleteFunc(strings.Split(shown, "\n"), func(line string) bool { return line == "" })
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", command, err, shown)
	}
	if len(lines) > most {
		lines = append(lines[:most], "...")
	}
	fmt.Println(strings.Join(lines, "\n"))
	return nil
}
