package atomicfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// exchange exchanges two files atomically. It returns errUnsupported if the file system cannot do that.
func exchange(a, b string) error {
	return linkError(a, b, unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE))
}

// renameNoReplace renames a file. It returns fs.ErrExist if to exists.
func renameNoReplace(from, to string) error {
	return linkError(from, to, unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE))
}

func linkError(from, to string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.EPERM):
		return errUnsupported // network file systems, old kernels, sandboxes
	}
	return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
}
