//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// readerGone reports whether the other end of a pipe or a terminal is closed.
func readerGone(out *os.File) bool {
	fds := []unix.PollFd{{Fd: int32(out.Fd())}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n > 0 && fds[0].Revents&(unix.POLLERR|unix.POLLHUP|unix.POLLNVAL) != 0
}
