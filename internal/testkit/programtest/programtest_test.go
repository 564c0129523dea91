package programtest_test

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"wsi/internal/testkit/programtest"
)

// A program can be run as soon as it is written, though others are being started.
func TestWriteFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a shell script stands in for a program")
	}
	for range 8 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "program")
			for range 100 {
				if err := programtest.WriteFile(path, []byte("#!/bin/sh\n"), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := exec.CommandContext(t.Context(), path).Run(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
