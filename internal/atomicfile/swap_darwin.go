package atomicfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// exchange lets two files change places.
func exchange(a, b string) error {
	return able(a, b, unix.RenamexNp(a, b, unix.RENAME_SWAP))
}

// moveToNothing renames a file; fs.ErrExist if there is something already.
func moveToNothing(from, to string) error {
	return able(from, to, unix.RenamexNp(from, to, unix.RENAME_EXCL))
}

func able(from, to string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOTSUP):
		return errUnable // network file systems, FAT
	}
	return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
}
