package vault

import (
	"os"

	"golang.org/x/sys/unix"
)

// rename exchanges the two files and deletes the old one. After an ordinary rename over a file, ext4 writes
// the new one to the disk at once, which takes a tenth of the time of a capture. A vault need not be that
// durable: losing the newest values in a power cut is like never having seen them.
func rename(from, to string) error {
	if err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_EXCHANGE); err != nil {
		return os.Rename(from, to) // no old file, or the file system cannot exchange
	}
	_ = os.Remove(from) // if it fails, prune deletes it later
	return nil
}
