package relay

import (
	"os/exec"
	"syscall"
)

// follow has the server asked to end when the relay is gone, in whatever way.
func follow(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} }
