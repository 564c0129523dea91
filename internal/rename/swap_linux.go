package rename

import "golang.org/x/sys/unix"

// Exchange exchanges two files atomically. It returns ErrUnsupported if the file system cannot do that.
func Exchange(a, b string) error {
	return linkError(a, b, unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE))
}

// NoReplace renames a file. It returns fs.ErrExist if to exists.
func NoReplace(from, to string) error {
	return linkError(from, to, unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE))
}
