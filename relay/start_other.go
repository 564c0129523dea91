//go:build !linux && !windows

package relay

import (
	"os/exec"
	"syscall"
)

// startTied starts a program in a process group of its own.
func startTied(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd.Start()
}

// enlargePipe does nothing: the size of a pipe is fixed.
func enlargePipe(any) {}
