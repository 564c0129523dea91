//go:build unix

package relay

import (
	"os"
	"syscall"
)

// statusOf returns a program's exit status as shells do: 128 plus the signal's number if a signal ended it.
func statusOf(s *os.ProcessState, _ error) int {
	if s == nil {
		return 1
	}
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}

func terminate(p *os.Process) { _ = p.Signal(syscall.SIGTERM) } // it may have ended

func pass(p *os.Process, s os.Signal) { _ = p.Signal(s) } // it may have ended
