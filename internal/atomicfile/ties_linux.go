package atomicfile

import "golang.org/x/sys/unix"

// TiesOf returns the ties of a file. It follows no link.
func TiesOf(path string) Ties {
	s, has := statx(path)
	if s.Mode&unix.S_IFMT != unix.S_IFREG {
		return Ties{}
	}
	return Ties{Mounted: has(unix.STATX_ATTR_MOUNT_ROOT), Linked: s.Nlink > 1}
}

// protected returns a [ProtectedError] if an attribute protects the file or folder at path.
func protected(path string) error {
	switch _, has := statx(path); {
	case has(unix.STATX_ATTR_IMMUTABLE):
		return ProtectedError{path, "i"}
	case has(unix.STATX_ATTR_APPEND):
		return ProtectedError{path, "a"}
	}
	return nil
}

// statx returns what the kernel says about a file, which is nothing before Linux 4.11 and in some sandboxes. Mounts are
// known since 5.8.
func statx(path string) (s unix.Statx_t, has func(attribute uint64) bool) {
	if err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_BASIC_STATS, &s); err != nil {
		s = unix.Statx_t{}
	}
	return s, func(attribute uint64) bool { return s.Attributes&s.Attributes_mask&attribute != 0 }
}
