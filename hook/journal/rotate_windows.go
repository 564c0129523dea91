package journal

import (
	"os"

	"golang.org/x/sys/windows"

	"wsi/internal/plainfile"
)

// lockRotation waits for other processes that rotate the same file. They only rename it, so that is short. A file that is open
// for appending cannot be locked, so it opens the file again. If that is a newer journal already, rotate sees it.
func lockRotation(f *os.File) (unlock func(), err error) {
	lock, err := plainfile.Open(f.Name(), os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	unlock = func() { _ = lock.Close() } // this unlocks it
	// One byte far behind the end: locked bytes cannot be written.
	place := &windows.Overlapped{OffsetHigh: 1 << 30}
	if err := windows.LockFileEx(windows.Handle(lock.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, place); err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}
