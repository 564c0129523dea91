//go:build !windows

package rename

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// InUse reports whether an operation failed because another process has the file open, which only Windows does.
func InUse(error) bool { return false }

// File is os.Rename. On Windows it also replaces a file that another process reads.
func File(from, to string) error { return os.Rename(from, to) }

// Check returns the error because of which nothing could be renamed in a folder: its mode, or that of its file system.
func Check(dir string) error {
	if err := unix.Faccessat(unix.AT_FDCWD, dir, unix.W_OK|unix.X_OK, unix.AT_EACCESS); err != nil {
		return &fs.PathError{Op: "write to", Path: dir, Err: err}
	}
	return nil
}
