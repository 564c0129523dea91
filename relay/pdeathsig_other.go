//go:build !linux

package relay

import (
	"os"
	"os/exec"
)

// setPdeathsig does nothing. If the relay is killed, the server notices only that its stdin ends.
func setPdeathsig(*exec.Cmd) {}

// enlargePipe does nothing: the size of a pipe is fixed.
func enlargePipe(*os.File) {}
