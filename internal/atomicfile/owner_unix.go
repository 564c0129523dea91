//go:build unix

package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
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
