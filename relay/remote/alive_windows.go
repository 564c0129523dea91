package remote

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// Bits of a WSAPOLLFD.
const (
	pollNormal = 0x0100 // POLLRDNORM: there is data
	pollEnded  = 0x0001 | 0x0002 | 0x0004
)

var poll = windows.NewLazySystemDLL("ws2_32.dll").NewProc("WSAPoll")

// peekAt seldom sees data: the connection's reader always waits for data, which the system gives to it at once. But it sees the end.
func peekAt(fd uintptr) (unread, ended bool) {
	asked := struct {
		socket         uintptr
		events, answer int16
	}{socket: fd, events: pollNormal}
	n, _, _ := poll.Call(uintptr(unsafe.Pointer(&asked)), 1, 0)
	unread = n == 1 && asked.answer&pollNormal != 0
	return unread, n == 1 && !unread && asked.answer&pollEnded != 0
}
