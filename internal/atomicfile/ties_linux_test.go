package atomicfile

import (
	"bytes"
	"errors"
	"os"
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

// A file that is mounted, as in a dev container, cannot be replaced. It takes a user who may mount.
func TestMountedFile(t *testing.T) {
	dir := t.TempDir()
	source, path := filepath.Join(dir, "source"), filepath.Join(dir, "settings.json")
	put(t, source, "old")
	put(t, path, "hidden")
	if ties := TiesOf(path); ties.Mounted {
		t.Error("not yet mounted")
	}
	mount(t, source, path, "", unix.MS_BIND, "")
	if ties := TiesOf(path); !ties.Mounted || TiesOf(dir).Mounted || TiesOf(source).Mounted {
		t.Errorf("%+v", ties)
	}
	if err := Replace(path, []byte("old"), []byte("new"), 0o600); !errors.Is(err, unix.EBUSY) {
		t.Errorf("replaced: %v", err)
	}
	if err := Check(path); err != nil {
		t.Error(err)
	}
	if err := Overwrite(path, []byte("old"), []byte("new")); err != nil {
		t.Error(err)
	}
	if is, err := os.ReadFile(source); err != nil || string(is) != "new" {
		t.Errorf("%q, %v", is, err)
	}
	if err := unix.Mount("", path, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	if err := Check(path); !errors.Is(err, unix.EROFS) {
		t.Errorf("mounted read-only: %v", err)
	}
}

// A full disk restores what was there. It takes a user who may mount.
func TestOverwriteOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	mount(t, "tmpfs", dir, "tmpfs", 0, "size=64k")
	path := filepath.Join(dir, "settings.json")
	put(t, path, "old")
	if err := Overwrite(path, []byte("old"), bytes.Repeat([]byte("new"), 1<<20)); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("written: %v", err)
	}
	wantOnly(t, path, "old")
}

func TestLinkedFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "settings.json")
	put(t, path, "old")
	if TiesOf(path).Linked {
		t.Error("it has one name")
	}
	if err := os.Link(path, filepath.Join(dir, "other")); err != nil {
		t.Skip(err)
	}
	if !TiesOf(path).Linked || TiesOf(dir).Linked {
		t.Error("it has two names")
	}
}
