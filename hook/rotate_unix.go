//go:build linux || darwin

package hook

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockRotation waits for others that rotate the same file: they rename it, and no more.
func lockRotation(f *os.File) error {
	for {
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
