//go:build unix

package procgroup

import (
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
)

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
