package atomicfile

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func mount(t *testing.T, source, path, kind string, flags uintptr, options string) {
	t.Helper()
	if err := unix.Mount(source, path, kind, flags, options); errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
		t.Skip("only root can mount something")
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(path, 0); err != nil {
			t.Error(err)
		}
	})
}

// A full disk restores what was there. It takes a user who may mount.
func TestOverwriteOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	mount(t, "tmpfs", dir, "tmpfs", 0, "size=64k")
	path := filepath.Join(dir, "settings.json")
	put(t, path, "old")
	if err := overwrite(path, []byte("old"), bytes.Repeat([]byte("new"), 1<<20)); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("written: %v", err)
	}
	wantOnly(t, path, "old")
}
