package plainfile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, size := range []int{0, 1, 4<<10 - 1, 4 << 10, 4<<10 + 1, 100_000} {
		want := bytes.Repeat([]byte("x"), size)
		if err := os.WriteFile(path, want, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := Read(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes: read %d, %v", size, len(got), err)
		}
	}
	if got, err := Read(path + "s"); err != nil || got != nil {
		t.Errorf("no file: %q, %v", got, err)
	}
	if _, err := Read(filepath.Dir(path)); err == nil {
		t.Error("a folder was read")
	}
}

func TestOpenIsOpenFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, flag := range []int{os.O_RDONLY, os.O_RDWR | os.O_CREATE | os.O_EXCL, os.O_WRONLY | os.O_CREATE | os.O_APPEND, os.O_RDWR | os.O_CREATE | os.O_EXCL} {
		f, err := Open(path, flag, 0o600)
		var at *fs.PathError
		if err != nil {
			if !errors.As(err, &at) || at.Path != path || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) {
				t.Errorf("flag %#x: %v", flag, err)
			}
			continue
		}
		if _, err := f.WriteString("a"); err != nil {
			t.Errorf("flag %#x: %v", flag, err)
		}
		info, err := f.Stat()
		if err != nil || f.Name() != path || runtime.GOOS != "windows" && info.Mode() != 0o600 {
			t.Errorf("flag %#x: %s, %v, %v", flag, f.Name(), info, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	if got, err := Read(path); err != nil || string(got) != "aa" {
		t.Errorf("written twice: %q, %v", got, err)
	}
}

func TestRegular(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for size, fits := range map[int]bool{0: true, 1000: true, 1001: false, 100_000: false} {
		want := bytes.Repeat([]byte("x"), size)
		if err := os.WriteFile(path, want, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := Regular(path, 1000)
		var large TooLargeError
		if (err == nil) != fits || fits && !bytes.Equal(got, want) || !fits && (!errors.As(err, &large) || got != nil) {
			t.Errorf("%d bytes: read %d, %v", size, len(got), err)
		}
	}
	if _, err := Regular(dir, 1000); err == nil || err.Error() != "read "+dir+": not a regular file" {
		t.Errorf("a folder: %v", err)
	}
	if _, err := Regular(filepath.Join(dir, "none"), 1000); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}
