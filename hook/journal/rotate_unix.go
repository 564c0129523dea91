//go:build linux || darwin

package journal

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockRotation waits for other processes that rotate the same file. They only rename it, so that is short.
func lockRotation(f *os.File) (unlock func(), err error) {
	for {
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); !errors.Is(err, unix.EINTR) {
			return func() {}, err // closing f unlocks it
		}
	}
}
