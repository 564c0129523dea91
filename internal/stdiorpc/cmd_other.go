//go:build !windows

package stdiorpc

import "os/exec"

// forCmd does nothing: only the shell of Windows takes its command line apart itself.
func forCmd(*exec.Cmd) {}
