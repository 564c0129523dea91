package doctor

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"wsi/doctor/report"
)

// A disk that is full, and one without a free inode, as the kernel has them. It takes a user who may mount.
func TestRoom(t *testing.T) {
	mount := func(t *testing.T, options string) string {
		t.Helper()
		dir := t.TempDir()
		if err := unix.Mount("tmpfs", dir, "tmpfs", 0, options); errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
			t.Skip("only root can mount a file system")
		} else if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := unix.Unmount(dir, 0); err != nil {
				t.Error(err)
			}
		})
		return dir
	}
	for name, fill := range map[string]struct {
		options string
		fill    func(dir string) error
		want    error
	}{
		"there is room": {"size=1m,nr_inodes=20", func(string) error { return nil }, nil},
		"no room": {"size=64k,nr_inodes=20", func(dir string) error {
			err := os.WriteFile(filepath.Join(dir, "x"), make([]byte, enough+1), 0o600)
			if !errors.Is(err, unix.ENOSPC) {
				return errors.New("the disk is not full")
			}
			return nil
		}, errFull},
		"no inode": {"size=1m,nr_inodes=20", func(dir string) error {
			for i := range 20 {
				if os.WriteFile(filepath.Join(dir, strconv.Itoa(i)), nil, 0o600) != nil {
					return nil //nolint:nilerr // that it fails is what is wanted
				}
			}
			return errors.New("there is still an inode")
		}, errInodes},
	} {
		t.Run(name, func(t *testing.T) {
			dir := mount(t, fill.options)
			if err := fill.fill(dir); err != nil {
				t.Fatal(err)
			}
			before, _ := os.Stat(dir)
			if err := room(dir); !errors.Is(err, fill.want) {
				t.Errorf("%v, want %v", err, fill.want)
			}
			if after, _ := os.Stat(dir); !after.ModTime().Equal(before.ModTime()) {
				t.Error("the folder was changed")
			}
			o := Options{StateDir: filepath.Join(dir, "wsi"), Env: newWorld(t, "").env()}
			if got := ownState(&target{Options: o}); (got.Status == report.Fail) != (fill.want != nil) {
				t.Errorf("a folder that is to be made there: %+v", got)
			}
		})
	}
}
