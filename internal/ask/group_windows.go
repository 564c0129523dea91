package ask

import "os/exec"

// ownGroup leaves a program as it is: Windows has no process groups that could be ended by id.
func ownGroup(*exec.Cmd) {}

// terminateGroup can only kill.
func terminateGroup(cmd *exec.Cmd) { killGroup(cmd) }

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
