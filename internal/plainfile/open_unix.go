//go:build unix

package plainfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// Open is os.OpenFile, errors included, for a regular file or a folder. For anything else it returns an error: opening a pipe
// would block, and so would reading it.
func Open(path string, flag int, mode fs.FileMode) (*os.File, error) {
	return open(path, flag, mode, false)
}

// open is Open. With nonBlocking, package os registers the file with the poller, which can end a read.
func open(path string, flag int, mode fs.FileMode, nonBlocking bool) (*os.File, error) {
	fd, err := descriptor(path, flag|syscall.O_NONBLOCK|syscall.O_CLOEXEC, mode)
	switch {
	case errors.Is(err, syscall.ENXIO): // a pipe without a reader, or a socket
		err = errIrregular
	case err == nil && !isPlain(fd):
		err = errors.Join(errIrregular, syscall.Close(fd))
	case err == nil && !nonBlocking:
		err = syscall.SetNonblock(fd, false)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(fd), path), nil
}

func descriptor(path string, flag int, mode fs.FileMode) (int, error) {
	for {
		fd, err := syscall.Open(path, flag, uint32(mode.Perm()))
		if !errors.Is(err, syscall.EINTR) {
			return fd, err
		}
	}
}

func isPlain(fd int) bool {
	var info syscall.Stat_t
	if syscall.Fstat(fd, &info) != nil {
		return false
	}
	kind := info.Mode & syscall.S_IFMT
	return kind == syscall.S_IFREG || kind == syscall.S_IFDIR
}
