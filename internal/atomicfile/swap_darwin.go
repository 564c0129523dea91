package atomicfile

import "golang.org/x/sys/unix"

// exchange exchanges two files atomically. It returns errUnsupported if the file system cannot do that.
func exchange(a, b string) error {
	return linkError(a, b, unix.RenamexNp(a, b, unix.RENAME_SWAP))
}

// renameNoReplace renames a file. It returns fs.ErrExist if to exists.
func renameNoReplace(from, to string) error {
	return linkError(from, to, unix.RenamexNp(from, to, unix.RENAME_EXCL))
}
