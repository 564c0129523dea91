package relay

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// setPdeathsig makes the kernel kill the server when the relay dies. A relay that ends normally stops the
// server itself.
func setPdeathsig(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// enlargePipe enlarges a pipe, so that a large message takes fewer writes. The kernel may refuse.
func enlargePipe(f *os.File) {
	conn, err := f.SyscallConn()
	if err != nil {
		return
	}
	_ = conn.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, 1<<20) })
}
