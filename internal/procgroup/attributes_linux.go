package procgroup

import "syscall"

// attributes makes the kernel kill the program when the thread that started it ends: with this process, because Go ends
// no other threads than those that a goroutine has locked.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}
