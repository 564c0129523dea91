//go:build unix

package remote

import (
	"errors"
	"net"
	"syscall"
)

// peek asks the system whether a connection has unread data, and whether the other end has closed it.
func peek(c net.Conn) (unread, ended bool) {
	s, ok := c.(syscall.Conn)
	if !ok {
		return false, false
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return false, true
	}
	err = raw.Control(func(fd uintptr) {
		var b [1]byte
		n, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		unread = n > 0
		ended = n <= 0 && !errors.Is(err, syscall.EAGAIN) && !errors.Is(err, syscall.EINTR)
	})
	return unread, ended || err != nil
}
