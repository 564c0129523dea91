package procgroup

import "os/exec"

// Own leaves a program as it is: Windows has no process groups that could be ended by id.
func Own(*exec.Cmd) {}

// Terminate can only kill.
func Terminate(cmd *exec.Cmd) { Kill(cmd) }

// Kill ends a program, unless it has ended.
func Kill(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = cmd.Process.Kill() // it may have ended
	}
}
