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

// Check returns an [Another] if this process runs as root and another user owns the file at path. If the file
// does not exist, the nearest existing parent folder counts.
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
			return nil //nolint:nilerr // the write reports the error
		}
		if s, ok := info.Sys().(*syscall.Stat_t); ok && s.Uid != 0 {
			return Another{path, name(s.Uid)}
		}
		return nil
	}
}

// Own reports whether the current user owns a file. It returns true if the owner is unknown.
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
