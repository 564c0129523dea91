//go:build !linux

package relay

import (
	"os"
	"os/exec"
)

// setPdeathsig does nothing: the server only notices the end of its stdin when the relay was killed.
func setPdeathsig(*exec.Cmd) {}

// enlargePipe does nothing: the size of a pipe is fixed.
func enlargePipe(*os.File) {}
