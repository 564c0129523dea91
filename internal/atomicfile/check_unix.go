//go:build unix

package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// Check returns the error because of which [Write] would fail at path, or [Overwrite] if the file is mounted. The
// folder must exist.
func Check(path string) error {
	info, err := os.Lstat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := protected(path); err != nil {
		return err
	}
	if TiesOf(path).Mounted {
		return unix.Faccessat(unix.AT_FDCWD, path, unix.R_OK|unix.W_OK, unix.AT_EACCESS)
	}
	if err == nil && os.Geteuid() != 0 {
		if s, ok := info.Sys().(*syscall.Stat_t); ok && int(s.Uid) != os.Geteuid() {
			return errOwner
		}
	}
	dir := filepath.Dir(path)
	if err := protected(dir); err != nil {
		return fmt.Errorf("its folder %s: %w", dir, err)
	}
	if err := unix.Faccessat(unix.AT_FDCWD, dir, unix.W_OK|unix.X_OK, unix.AT_EACCESS); err != nil {
		return fmt.Errorf("its folder %s is not writable: %w", dir, err)
	}
	return nil
}
