package atomicfile

import "golang.org/x/sys/unix"

// exchange exchanges two files atomically. It returns errUnsupported if the file system cannot do that.
func exchange(a, b string) error {
	return linkError(a, b, unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE))
}

// renameNoReplace renames a file. It returns fs.ErrExist if to exists.
func renameNoReplace(from, to string) error {
	return linkError(from, to, unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE))
}
