package doctor

import (
	"errors"

	"golang.org/x/sys/unix"
)

// room returns an error if a folder has no room. It fills an unnamed file, which is never visible in the folder: space
// that the file system counts as free need not be available to this user. Without O_TMPFILE it relies on the count.
func room(dir string) error {
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_WRONLY|unix.O_CLOEXEC, 0o600)
	switch {
	case errors.Is(err, unix.ENOSPC):
		return errInodes
	case errors.Is(err, unix.EDQUOT):
		return errQuota
	case err != nil:
		return counted(dir)
	}
	defer unix.Close(fd) //nolint:errcheck // an unnamed file is removed with it
	for left := make([]byte, enough); len(left) > 0; {
		n, err := unix.Write(fd, left)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.ENOSPC):
			return errFull
		case errors.Is(err, unix.EDQUOT):
			return errQuota
		case err != nil:
			return err
		}
		left = left[max(n, 0):]
	}
	return nil
}
