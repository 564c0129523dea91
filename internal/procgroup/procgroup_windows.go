package procgroup

import "os/exec"

// Own does nothing: Windows cannot end a process group by its id.
func Own(*exec.Cmd) {}

// Guard does nothing: a job object ends the group.
func Guard(int) (release func()) { return func() {} }

// Terminate is [Kill]: Windows has no SIGTERM.
func Terminate(cmd *exec.Cmd) { Kill(cmd) }

// Kill ends the program. The processes that it started survive.
func Kill(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = cmd.Process.Kill() // it may have ended
	}
}
