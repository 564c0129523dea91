//go:build unix

package files

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// What is not a regular file, or has no end, is an error within a second, however it is reached.
func TestEndless(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, "/dev/zero", "/dev/tty", "/proc/kmsg", "/proc/kcore", "/proc/self/pagemap"} {
		if _, err := os.Lstat(path); err != nil {
			continue // it is not of this system
		}
		link := filepath.Join(dir, filepath.Base(path)+".json")
		if err := os.Symlink(path, link); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if got, err := Config(link); err == nil {
			t.Errorf("%s: %d bytes and no error", path, len(got))
		}
		if took := time.Since(start); took > maxWait/2 {
			t.Errorf("%s took %v", path, took)
		}
	}
}
