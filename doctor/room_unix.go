//go:build unix

package doctor

import "golang.org/x/sys/unix"

// counted is what a file system says of its room. One that counts no files (btrfs) has 0 of them in all.
func counted(dir string) error {
	var all unix.Statfs_t
	if unix.Statfs(dir, &all) != nil {
		return nil //nolint:nilerr // it cannot be told
	}
	switch {
	case uint64(all.Bavail)*uint64(all.Bsize) < enough: //nolint:unconvert // other types on other systems
		return errFull
	case all.Files > 0 && all.Ffree == 0:
		return errInodes
	}
	return nil
}
