package vault

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// replace makes raw the content of a file: a reader sees the old one or the new one. Two files take turns:
// the spare one is written and changes places with the one that is read. To make a file for each value and
// delete another is what costs most: ext4 gives no inode away that was deleted within the last seconds,
// and looks at all of these each time (Linux 6.18: 25 us against 160 us, with many values a second more).
func replace(path, spare string, raw []byte) error {
	if intoSpare(path, spare, raw) == nil {
		return nil
	}
	return anew(path, raw)
}

var errInUse = errors.New("somebody else has the spare file")

// intoSpare fails, and has changed nothing but the spare file, if it cannot be sure of being alone with it:
// other processes write, and whoever has opened the file before it became the spare one is still to read
// what was in it.
func intoSpare(path, spare string, raw []byte) error {
	const flags = unix.O_WRONLY | unix.O_CREAT | unix.O_CLOEXEC | unix.O_NOFOLLOW | unix.O_NONBLOCK // never wait
	fd, err := unix.Open(spare, flags, 0o600)
	if err != nil {
		return err
	}
	defer unix.Close(fd) //nolint:errcheck // the kernel has the bytes; the lease ends
	var is, named unix.Stat_t
	if err := errors.Join(unix.Fstat(fd, &is), unix.Lstat(spare, &named)); err != nil {
		return err
	}
	if is.Ino != named.Ino || is.Dev != named.Dev || is.Nlink != 1 || is.Mode != unix.S_IFREG|0o600 {
		return errInUse // it changed places while it was opened, or has another name
	}
	// A lease for writing is given only to whoever alone has the file open, and keeps out all who are about
	// to open it. File systems without leases say so.
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETLEASE, unix.F_WRLCK); err != nil {
		return err
	}
	if n, err := unix.Pwrite(fd, raw, 0); err != nil || n < len(raw) {
		return errors.Join(err, errInUse)
	}
	if is.Size > int64(len(raw)) {
		if err := unix.Ftruncate(fd, int64(len(raw))); err != nil {
			return err
		}
	}
	if unix.Renameat2(unix.AT_FDCWD, spare, unix.AT_FDCWD, path, unix.RENAME_EXCHANGE) == nil {
		return nil
	}
	return os.Rename(spare, path) // there is no old file, or the file system cannot exchange
}
