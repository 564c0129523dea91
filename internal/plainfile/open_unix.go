//go:build unix

package plainfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// nonBlocking makes neither the opening of a pipe nor a read block.
const nonBlocking = syscall.O_NONBLOCK

// Open is os.OpenFile, errors included.
func Open(path string, flag int, mode fs.FileMode) (*os.File, error) {
	for {
		fd, err := syscall.Open(path, flag|syscall.O_CLOEXEC, uint32(mode.Perm()))
		if err == nil {
			return os.NewFile(uintptr(fd), path), nil
		}
		if !errors.Is(err, syscall.EINTR) {
			return nil, &fs.PathError{Op: "open", Path: path, Err: err}
		}
	}
}
