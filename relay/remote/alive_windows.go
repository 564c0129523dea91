package remote

import (
	"net"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Bits of a WSAPOLLFD.
const (
	pollNormal = 0x0100 // POLLRDNORM: there is data
	pollEnded  = 0x0001 | 0x0002 | 0x0004
)

var poll = windows.NewLazySystemDLL("ws2_32.dll").NewProc("WSAPoll")

// peek asks the system whether a connection has unread data, and whether the other end has closed it. The connection's reader
// always waits for data, which the system gives to it at once: so peek seldom sees data, but it sees the end.
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
		asked := struct {
			socket         uintptr
			events, answer int16
		}{socket: fd, events: pollNormal}
		n, _, _ := poll.Call(uintptr(unsafe.Pointer(&asked)), 1, 0)
		unread = n == 1 && asked.answer&pollNormal != 0
		ended = n == 1 && !unread && asked.answer&pollEnded != 0
	})
	return unread, ended || err != nil
}
