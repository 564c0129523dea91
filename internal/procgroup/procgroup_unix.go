//go:build unix

package procgroup

import (
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
)

// Own makes cmd start in its own session and process group, without access to the user's terminal. When the
// context of cmd ends, the whole group is killed. Processes that the program moves to another session survive.
// On Linux the program itself is killed if this process ends before it. The caller must call Own before cmd.Start.
func Own(cmd *exec.Cmd) {
	cmd.SysProcAttr = attributes()
	if cmd.Cancel != nil { // there is a context
		cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	}
}

// Terminate sends SIGTERM to the process group of a started program.
func Terminate(cmd *exec.Cmd) { signal(cmd, syscall.SIGTERM) }

// Kill sends SIGKILL to the process group of a program. The program itself may have ended: the group's id is
// not reused while a member is alive.
func Kill(cmd *exec.Cmd) { signal(cmd, syscall.SIGKILL) }

func signal(cmd *exec.Cmd, s syscall.Signal) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, s) // it may have ended
	}
}

// Guard kills the process group of a started program when this process ends, also if it is killed. The caller must call release
// once the group has ended, because its id may then be that of others.
//
// A shell in a session of its own waits for the end of a pipe that only this process has open for writing; a line in it releases
// the shell. It is not a child of this process, because some programs end one with all of its children. Without a shell there is no
// guard.
func Guard(group int) (release func()) {
	theirs, ours, err := os.Pipe()
	if err != nil {
		return func() {}
	}
	sh := exec.Command("/bin/sh", "-c", `{ read -r _ <&3 || kill -9 "-$0"; } &`, strconv.Itoa(group))
	sh.ExtraFiles = []*os.File{theirs}
	sh.Dir = "/"
	sh.Env = []string{}
	sh.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = sh.Run()
	_ = theirs.Close()
	if err != nil {
		_ = ours.Close()
		return func() {}
	}
	return sync.OnceFunc(func() {
		_, _ = ours.WriteString("\n") // the shell may have been killed
		_ = ours.Close()
	})
}
