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
