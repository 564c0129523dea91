//go:build unix

package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// dropRoot makes the rest of the test run as an unprivileged user that owns the given paths.
func dropRoot(t *testing.T, owns ...string) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	for _, path := range owns {
		if err := os.Chown(path, 65534, 65534); err != nil {
			t.Skip(err)
		}
	}
	if err := syscall.Seteuid(65534); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		if err := syscall.Seteuid(0); err != nil {
			panic(err) // later tests must not run as another user
		}
	})
}

func TestCheck(t *testing.T) {
	all := t.TempDir()
	open, closed := filepath.Join(all, "open"), filepath.Join(all, "closed")
	mine := filepath.Join(open, "mine")
	if err := errors.Join(os.Mkdir(open, 0o700), os.Mkdir(closed, 0o500)); err != nil {
		t.Fatal(err)
	}
	put(t, mine, "")
	dropRoot(t, filepath.Dir(all), all, open, mine, closed)
	for path, ok := range map[string]bool{
		mine: true, filepath.Join(open, "new"): true,
		"/etc/passwd": false, filepath.Join(closed, "new"): false,
	} {
		if err := Check(path); (err == nil) != ok {
			t.Errorf("%s: %v", path, err)
		}
		old, _ := os.ReadFile(path)
		if err := Replace(path, old, []byte("x"), 0o600); (err == nil) != ok {
			t.Errorf("%s was written: %v", path, err)
		}
	}
}

// A user could replace another user's file in a folder of their own. The owner would then lose it.
func TestCheckOfAnothersFile(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make files of others")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "theirs")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	dropRoot(t, filepath.Dir(dir), dir)
	if err := Check(path); err == nil {
		t.Error("no error")
	}
}

func TestOwnerIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	put(t, path, "old")
	if err := os.Chown(path, 4711, 4712); err != nil {
		t.Skip("only root can make files of others")
	}
	if err := Replace(path, []byte("old"), []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if s := info.Sys().(*syscall.Stat_t); s.Uid != 4711 || s.Gid != 4712 {
		t.Errorf("owner %d:%d", s.Uid, s.Gid)
	}
}
