package atomicfile

import "golang.org/x/sys/unix"

// TiesOf returns the ties of a file. It follows no link. The kernel says nothing before Linux 4.11 and in some sandboxes.
// Mounts are known since 5.8.
func TiesOf(path string) Ties {
	var s unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_BASIC_STATS, &s)
	if err != nil || s.Mode&unix.S_IFMT != unix.S_IFREG {
		return Ties{}
	}
	return Ties{Mounted: s.Attributes&s.Attributes_mask&unix.STATX_ATTR_MOUNT_ROOT != 0, Linked: s.Nlink > 1}
}
