//go:build unix

package doctor

import (
	"os"
	"os/user"
	"strconv"

	"golang.org/x/sys/unix"
)

// writable tells why this user cannot write to a file or folder, without trying to.
func writable(path string) error {
	if err := unix.Access(path, unix.W_OK); err != nil {
		return &os.PathError{Op: "write", Path: path, Err: err}
	}
	return nil
}

// userName is this user's, or number.
func userName() string {
	id := strconv.Itoa(os.Geteuid())
	if u, err := user.LookupId(id); err == nil {
		return u.Username
	}
	return id
}
