//go:build unix

package relay

import (
	"io"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"

	"wsi/internal/procgroup"
)

// startTied starts a program with a process group of its own, which on Linux ends with the relay.
func startTied(cmd *exec.Cmd) error {
	procgroup.Own(cmd)
	return cmd.Start()
}

func terminate(p *os.Process) { _ = p.Signal(syscall.SIGTERM) } // it may have ended

func pass(p *os.Process, s os.Signal) { _ = p.Signal(s) } // it may have ended

// inodeChanged returns when the inode of a file was changed, 0 if that is not known. No program can set that time.
func inodeChanged(file string) int64 {
	var s unix.Stat_t
	if unix.Stat(file, &s) != nil {
		return 0
	}
	return s.Ctim.Nano()
}

// hasReader reports whether what is written to a pipe or a socket can still be read.
func hasReader(w io.Writer) bool { return !hungUp(w, unix.POLLOUT) }

// hasWriter reports whether more can come from a pipe or a socket than what it holds.
func hasWriter(r io.Reader) bool { return !hungUp(r, unix.POLLIN) }

func hungUp(end any, events int16) (gone bool) {
	f, _ := end.(*os.File) // nil has no connection
	if conn, err := f.SyscallConn(); err == nil {
		_ = conn.Control(func(fd uintptr) { // it fails only for a closed file
			at := []unix.PollFd{{Fd: int32(fd), Events: events}} // without events macOS reports nothing
			n, err := unix.Poll(at, 0)
			gone = err == nil && n > 0 && at[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
		})
	}
	return gone
}
