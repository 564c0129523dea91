//go:build unix

package procgroup

import (
	"os/exec"
	"syscall"
)

// Own has a program, once started, be in a session and a process group of its own: it cannot reach the
// user's terminal. When its context ends, the whole group is killed; what the program itself puts into
// another session is not. Call it before Start.
func Own(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if cmd.Cancel != nil { // there is a context
		cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	}
}

// Terminate asks the group of a started program to end.
func Terminate(cmd *exec.Cmd) { signal(cmd, syscall.SIGTERM) }

// Kill ends the group of a program, or what is left of it after the program itself: the group's number
// belongs to nobody else as long as one of it is alive.
func Kill(cmd *exec.Cmd) { signal(cmd, syscall.SIGKILL) }

func signal(cmd *exec.Cmd, s syscall.Signal) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, s) // it may have ended
	}
}
