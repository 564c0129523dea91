package relay

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// startTied starts a program that the kernel kills when the relay dies. A relay that ends normally stops the server itself.
func startTied(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	return cmd.Start()
}

// enlargePipe enlarges a pipe, so that a large message takes fewer writes. The kernel may refuse.
func enlargePipe(pipe any) {
	f, _ := pipe.(*os.File) // nil has no connection
	if conn, err := f.SyscallConn(); err == nil {
		_ = conn.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, 1<<20) })
	}
}
