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
	for name, c := range map[string]struct {
		options      string
		files, bytes int
		want         error
	}{
		"there is room": {"size=1m,nr_inodes=20", 0, 0, nil},
		"no room":       {"size=64k,nr_inodes=20", 1, enough + 1, errFull},
		"no inode":      {"size=1m,nr_inodes=20", 20, 0, errInodes},
	} {
		t.Run(name, func(t *testing.T) {
			dir := mount(t, c.options)
			var full error
			for i := range c.files {
				full = errors.Join(full, os.WriteFile(filepath.Join(dir, strconv.Itoa(i)), make([]byte, c.bytes), 0o600))
			}
			if errors.Is(full, unix.ENOSPC) != (c.want != nil) {
				t.Fatal("the disk is not as it should be: ", full)
			}
			before, _ := os.Stat(dir)
			if err := room(dir); !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
			if after, _ := os.Stat(dir); !after.ModTime().Equal(before.ModTime()) {
				t.Error("the folder was changed")
			}
			o := Options{StateDir: filepath.Join(dir, "wsi"), Env: newWorld(t, "").env()}
			if got := ownState(&target{Options: o}); (got.Status == report.Fail) != (c.want != nil) {
				t.Errorf("a folder that is to be made there: %+v", got)
			}
		})
	}
}
