package atomicfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// exchange lets two files change places.
func exchange(a, b string) error {
	return able(a, b, unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE))
}

// moveToNothing renames a file; fs.ErrExist if there is something already.
func moveToNothing(from, to string) error {
	return able(from, to, unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE))
}

func able(from, to string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.EPERM):
		return errUnable // network file systems, old kernels, sandboxes
	}
	return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
}
