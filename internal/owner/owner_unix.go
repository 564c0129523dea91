//go:build unix

package owner

import (
	"errors"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// Check returns an Another if this process is root and the file at path, or where there is none the folder
// that it would be made in, belongs to another user.
func Check(path string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	for ; ; path = filepath.Dir(path) {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) && path != filepath.Dir(path) {
			continue
		}
		if err != nil {
			return nil //nolint:nilerr // who writes there says why it cannot be
		}
		if s, ok := info.Sys().(*syscall.Stat_t); ok && s.Uid != 0 {
			return Another{path, name(s.Uid)}
		}
		return nil
	}
}

// Own reports whether a file is this user's, as far as that can be told.
func Own(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int(s.Uid) == os.Geteuid()
}

func name(uid uint32) string {
	id := strconv.FormatUint(uint64(uid), 10)
	if u, err := user.LookupId(id); err == nil {
		return u.Username
	}
	return "user " + id
}
