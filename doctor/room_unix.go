//go:build unix

package doctor

import "golang.org/x/sys/unix"

// counted returns an error if the file system counts no room. One that does not count files (btrfs) reports 0 in all.
func counted(dir string) error {
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
