//go:build linux || darwin

package rename

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// linkError returns ErrUnsupported for what network file systems, FAT, old kernels and sandboxes answer.
func linkError(from, to string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.EPERM):
		return ErrUnsupported
	}
	return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
}
