package relay

import (
	"os"

	"golang.org/x/sys/unix"
)

// enlargePipe enlarges a pipe, so that a large message takes fewer writes. The kernel may refuse.
func enlargePipe(pipe any) {
	f, _ := pipe.(*os.File) // nil has no connection
	if conn, err := f.SyscallConn(); err == nil {
		_ = conn.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, 1<<20) })
	}
}
