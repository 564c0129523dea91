//go:build unix

package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"wsi/internal/rename"
)

var errOwner = errors.New("it belongs to another user")

// keepOwner gives f the owner of the file at path, if there is one.
func keepOwner(f *os.File, path string) error {
	was, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	is, err := f.Stat()
	if err != nil {
		return err
	}
	old, ok1 := was.Sys().(*syscall.Stat_t)
	mine, ok2 := is.Sys().(*syscall.Stat_t)
	if !ok1 || !ok2 || (old.Uid == mine.Uid && old.Gid == mine.Gid) {
		return nil
	}
	if err := f.Chown(int(old.Uid), int(old.Gid)); err != nil && old.Uid != mine.Uid {
		return fmt.Errorf("%w: %w", errOwner, err)
	}
	return nil
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Check returns the error because of which [Replace] would fail at path. The folder must exist.
func Check(path string) error {
	info, err := os.Lstat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if TiesOf(path).Mounted {
		return unix.Faccessat(unix.AT_FDCWD, path, unix.R_OK|unix.W_OK, unix.AT_EACCESS)
	}
	if err == nil && os.Geteuid() != 0 {
		if s, ok := info.Sys().(*syscall.Stat_t); ok && int(s.Uid) != os.Geteuid() {
			return errOwner
		}
	}
	dir := filepath.Dir(path)
	if err := rename.Check(dir); err != nil {
		return fmt.Errorf("its folder %s is not writable: %w", dir, errors.Unwrap(err))
	}
	return nil
}
