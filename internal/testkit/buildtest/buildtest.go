// Package buildtest gives tests the programs of this module. It must not know what they do.
package buildtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// Wsi and Refserver are the packages of programs that are also built by internal/dev/windows.
const (
	Wsi       = "wsi/cmd/wsi"
	Refserver = "wsi/internal/refserver/cmd/refserver"
)

// Program builds a program in the folder dir, and returns its path. Where there is no Go, as in Wine, the
// variable WSI_TEST_PROGRAMS names the folder that has it.
func Program(dir, pkg string) (string, error) {
	name := filepath.Base(pkg)
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if built := os.Getenv("WSI_TEST_PROGRAMS"); built != "" {
		return filepath.Join(built, name), nil
	}
	path := filepath.Join(dir, name)
	return path, Build(path, pkg)
}

// Build builds a program as it is released. The user's GOFLAGS do not count; and git is not asked for the commit, because it
// refuses in a checkout of another user.
func Build(path, pkg string) error {
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", pkg, err, out)
	}
	return nil
}
