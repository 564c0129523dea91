// Command screenshots writes the screens in docs/screens. It walks through wsi setup and wsi doctor in terminals of
// several sizes, in a temporary home with settings of other programs. It writes every screen as text, those of 80x24
// also as SVG, what log, status and hooks print, and a recording of `make try`. The result depends only on wsi. The
// program runs on Linux.
//
//	go run ./internal/dev/screenshots
//
// It must not know how the screens are drawn.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"

	"wsi/internal/testkit/envtest"
)

func main() {
	if os.Getenv(playCodex) != "" {
		envtest.Codex()
		return
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	files, err := take(ctx, root)
	if err != nil {
		return err
	}
	dir := filepath.Join(root, "docs", "screens")
	if err := replace(dir, files); err != nil {
		return fmt.Errorf("write the screens: %w", err)
	}
	fmt.Printf("%d files in %s\n", len(files), dir)
	return nil
}

func moduleRoot() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// replace writes the files to a folder and removes old screens from it.
func replace(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	for _, pattern := range []string{"*.txt", "*.svg"} {
		old, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return err
		}
		for _, path := range old {
			if _, taken := files[filepath.Base(path)]; taken {
				continue
			}
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil { //nolint:gosec // for everyone to read
			return err
		}
	}
	return nil
}
