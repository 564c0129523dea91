//go:build !windows

package atomicfile

import "os"

// InUse reports whether an operation failed because another process has the file open, which only Windows does.
func InUse(error) bool { return false }

// Rename is os.Rename. On Windows it also replaces a file that another process reads.
func Rename(from, to string) error { return os.Rename(from, to) }
