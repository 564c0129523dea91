package relay

import (
	"io"
	"os"
	"os/exec"
	"unsafe"

	"golang.org/x/sys/windows"
)

// terminate kills a program: Windows cannot ask it to end.
func terminate(p *os.Process) { _ = p.Kill() } // it may have ended

// pass does nothing: the console signals the server itself.
func pass(*os.Process, os.Signal) {}

// hasReader and hasWriter return true: Windows tells it only to those who write or read.
func hasReader(io.Writer) bool { return true }
func hasWriter(io.Reader) bool { return true }

func inodeChanged(string) int64 { return 0 }

// startTied starts a program that Windows kills when the relay dies, with what that program has started. Where it cannot be
// tied to the relay, it notices only that its stdin ends.
func startTied(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	job, err := newJob()
	if err != nil {
		return nil //nolint:nilerr // it runs
	}
	_ = cmd.Process.WithHandle(func(handle uintptr) { // it may have ended
		_ = windows.AssignProcessToJobObject(job, windows.Handle(handle))
	})
	return nil
}

// newJob returns a job whose programs are killed when its last handle is closed. That is this one, which stays open as long as
// the relay lives.
func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	return job, err
}
