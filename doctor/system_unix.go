//go:build unix

package doctor

import (
	"os"
	"os/user"
	"strconv"

	"golang.org/x/sys/unix"
)

// writable returns an error if this user cannot write to a file or folder. It does not try to.
func writable(path string) error {
	if err := unix.Access(path, unix.W_OK); err != nil {
		return &os.PathError{Op: "write", Path: path, Err: err}
	}
	return nil
}

// userName returns this user's name or, if it has none, its id.
func userName() string {
	id := strconv.Itoa(os.Geteuid())
	if u, err := user.LookupId(id); err == nil {
		return u.Username
	}
	return id
}

// room returns an error if the file system of a folder counts no room for this user. One that does not count files (btrfs)
// reports 0 in all.
func room(dir string) error {
	var all unix.Statfs_t
	if unix.Statfs(dir, &all) != nil {
		return nil //nolint:nilerr // not known
	}
	switch {
	case uint64(all.Bavail)*uint64(all.Bsize) < enough: //nolint:unconvert // other types on other systems
		return errFull
	case all.Files > 0 && all.Ffree == 0:
		return errInodes
	}
	return nil
}
