package relay

import (
	"io"
	"os"
)

func statusOf(s *os.ProcessState) int {
	if s == nil {
		return 1
	}
	return s.ExitCode()
}

// terminate kills a program: Windows cannot ask it to end.
func terminate(p *os.Process) { _ = p.Kill() } // it may have ended

// pass does nothing: the console signals the server itself.
func pass(*os.Process, os.Signal) {}

// hasReader and hasWriter return true: Windows tells it only to those who write or read.
func hasReader(io.Writer) bool { return true }
func hasWriter(io.Reader) bool { return true }

func inodeChanged(string) int64 { return 0 }
