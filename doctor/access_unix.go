//go:build unix

package doctor

import (
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// writable tells why this user cannot write to a file or folder, without trying to.
func writable(path string) error {
	if err := unix.Access(path, unix.W_OK); err != nil {
		return &os.PathError{Op: "write", Path: path, Err: err}
	}
	return nil
}

// ownedByOthers reports whether a file is another user's, and this one's name.
func ownedByOthers(info fs.FileInfo) (name string, others bool) {
	name = strconv.Itoa(os.Geteuid())
	if u, err := user.LookupId(name); err == nil {
		name = u.Username
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	return name, ok && int(s.Uid) != os.Geteuid()
}
