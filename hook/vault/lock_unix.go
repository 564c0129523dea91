//go:build linux || darwin

package vault

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"wsi/internal/plainfile"
)

// lockFile does what package flock does, but on a file that is not in the runtime's poller.
type lockFile struct{ *os.File }

func openLock(path string) (lockFile, error) {
	f, err := plainfile.Open(path, os.O_RDWR|os.O_CREATE, 0o600)
	return lockFile{f}, err
}

func (l lockFile) TryLock() (bool, error) {
	err := l.flock(unix.LOCK_EX | unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

func (l lockFile) Lock() error { return l.flock(unix.LOCK_EX) }

func (l lockFile) flock(how int) error {
	for {
		if err := unix.Flock(int(l.Fd()), how); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
