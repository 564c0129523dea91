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

// Program builds a program as it is released, in the folder dir, and returns its path. Where there is no Go, as in Wine, the
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
	if out, err := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, pkg).CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", pkg, err, out)
	}
	return path, nil
}
