//go:build unix

package remote

import (
	"errors"
	"net"
	"syscall"
)

// alive asks the system whether the other end is still there, and has said nothing that it was not asked:
// whoever listens to the connection may not have got round to hear of it.
func alive(c net.Conn) bool {
	if t, ok := c.(interface{ NetConn() net.Conn }); ok { // TLS, where what has come unasked may be the end
		c = t.NetConn()
	}
	s, ok := c.(syscall.Conn)
	if !ok {
		return true
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return true
	}
	is := true
	err = raw.Control(func(fd uintptr) {
		var b [1]byte
		n, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		is = n <= 0 && (errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EINTR))
	})
	return is && err == nil
}
