package rename

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/windows"
)

// renameWait is how long File tries again.
const renameWait = 500 * time.Millisecond

// File renames a file within its folder, also over a file that another process reads. [os.Rename] would fail then. That
// of [os.Root] replaces an open file where the file system can (NTFS, since Windows 10), if all who have it open share it, as
// package plainfile does. Otherwise File tries again: readers close the file soon.
func File(from, to string) error {
	dir, err := os.OpenRoot(filepath.Dir(from))
	if err != nil {
		return err
	}
	defer dir.Close() //nolint:errcheck // only read
	for end := time.Now().Add(renameWait); ; time.Sleep(2 * time.Millisecond) {
		err = dir.Rename(filepath.Base(from), filepath.Base(to))
		if err == nil || !InUse(err) || time.Now().After(end) {
			return err
		}
	}
}

// InUse reports whether an operation failed because another process has the file open. Windows calls that a sharing
// violation, or a denied access if the file would be replaced or is about to be deleted.
func InUse(err error) bool {
	return errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED)
}

// Check returns nil: on Windows only an attempt shows whether a file can be renamed.
func Check(string) error { return nil }
