//go:build unix

package procgroup

import (
	"os/exec"
	"syscall"
)

// Own makes cmd start in its own session and process group, without access to the user's terminal. When the
// context of cmd ends, the whole group is killed. Processes that the program moves to another session survive.
// On Linux the program itself is killed if this process ends before it. The caller must call Own before cmd.Start.
func Own(cmd *exec.Cmd) {
	cmd.SysProcAttr = attributes()
	if cmd.Cancel != nil { // there is a context
		cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	}
}

// Terminate sends SIGTERM to the process group of a started program.
func Terminate(cmd *exec.Cmd) { signal(cmd, syscall.SIGTERM) }

// Kill sends SIGKILL to the process group of a program. The program itself may have ended: the group's id is
// not reused while a member is alive.
func Kill(cmd *exec.Cmd) { signal(cmd, syscall.SIGKILL) }

func signal(cmd *exec.Cmd, s syscall.Signal) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, s) // it may have ended
	}
}
