package rename

import "golang.org/x/sys/unix"

// Exchange exchanges two files atomically. It returns ErrUnsupported if the file system cannot do that.
func Exchange(a, b string) error {
	return linkError(a, b, unix.RenamexNp(a, b, unix.RENAME_SWAP))
}

// NoReplace renames a file. It returns fs.ErrExist if to exists.
func NoReplace(from, to string) error {
	return linkError(from, to, unix.RenamexNp(from, to, unix.RENAME_EXCL))
}
