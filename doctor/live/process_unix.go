//go:build unix

package live

import (
	"os/exec"
	"syscall"
)

// own puts a process into a group of its own and ends the group, not only the process.
func own(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// disown ends what is left of the group when its first process has ended. The group's number belongs
// to nobody else as long as one of it is alive.
func disown(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
}
