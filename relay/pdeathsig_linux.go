package relay

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// follow has the system end the server when the relay was killed. A relay that ends in any other way has asked
// the server before; one that ignores that, and the end of its stdin, would live on for ever.
func follow(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// widen gives a pipe more room, so that a large message takes fewer turns. The system may refuse.
func widen(f *os.File) {
	conn, err := f.SyscallConn()
	if err != nil {
		return
	}
	_ = conn.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, 1<<20) })
}
