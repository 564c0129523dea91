//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// unread tells whether the other end of a pipe or a terminal is closed.
func unread(out *os.File) bool {
	look := []unix.PollFd{{Fd: int32(out.Fd())}}
	n, err := unix.Poll(look, 0)
	return err == nil && n > 0 && look[0].Revents&(unix.POLLERR|unix.POLLHUP|unix.POLLNVAL) != 0
}
