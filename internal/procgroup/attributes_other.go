//go:build unix && !linux

package procgroup

import "syscall"

// attributes does not tie the program to this process: only Linux can.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
