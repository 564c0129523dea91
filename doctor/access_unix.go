//go:build unix

package doctor

import (
	"os"

	"golang.org/x/sys/unix"
)

// writable tells why this user cannot write to a file or folder, without trying to.
func writable(path string) error {
	if err := unix.Access(path, unix.W_OK); err != nil {
		return &os.PathError{Op: "write", Path: path, Err: err}
	}
	return nil
}
