package relay

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// follow has the server asked to end when the relay is gone, in whatever way.
func follow(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} }

// widen gives a pipe more room, so that a large message takes fewer turns. The system may refuse.
func widen(f *os.File) {
	conn, err := f.SyscallConn()
	if err != nil {
		return
	}
	_ = conn.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, 256<<10) })
}
