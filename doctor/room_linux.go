package doctor

import (
	"errors"

	"golang.org/x/sys/unix"
)

// room makes a file without a name in a folder and fills it: what is counted free need not be this user's. Nothing
// of it is ever seen in the folder. Where the file system has no such files, what it counts must do.
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
	defer unix.Close(fd) //nolint:errcheck // it is gone with it
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
