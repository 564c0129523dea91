//go:build !windows

package rename

import "os"

// InUse reports whether an operation failed because another process has the file open, which only Windows does.
func InUse(error) bool { return false }

// File is os.Rename. On Windows it also replaces a file that another process reads.
func File(from, to string) error { return os.Rename(from, to) }
