package relay

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// process is the server. Its stderr is a pipe of its own: if it inherited the relay's, Claude Code and
// OpenCode would not notice that a relay has died whose server lives on, and wait for ever (2.1.329,
// 1.18.33).
type process struct {
	cmd            *exec.Cmd
	stdin          *os.File
	stdout, stderr *os.File
	ended          chan struct{} // closed when it has ended
	status         int           // then
	once           sync.Once
}

// start starts the server, in the relay's own process group: Codex ends servers by a signal to the group
// (0.169.0). On Linux the system ends the server when the relay dies; for that the thread that starts it must live
// as long as the relay.
func start(command, environ []string) (*process, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = environ
	p := &process{cmd: cmd, ended: make(chan struct{})}
	var theirs []io.Closer
	defer func() {
		for _, c := range theirs {
			_ = c.Close() // the server has its own
		}
	}()
	in, stdin, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	theirs = append(theirs, in)
	stdout, out, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, stdin.Close())
	}
	theirs = append(theirs, out)
	widen(stdout)
	stderr, errs, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, stdin.Close(), stdout.Close())
	}
	theirs = append(theirs, errs)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, errs
	p.stdin, p.stdout, p.stderr = stdin, stdout, stderr

	started := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: it ends with the goroutine, after the server
		follow(cmd)
		err := cmd.Start()
		started <- err
		if err == nil {
			err = cmd.Wait()
			p.status = statusOf(cmd.ProcessState, err)
			close(p.ended)
		}
	}()
	if err := <-started; err != nil {
		return nil, errors.Join(err, stdin.Close(), stdout.Close(), stderr.Close())
	}
	return p, nil
}

// notStarted is the exit status of a program that could not be started, as shells have it.
func notStarted(err error) int {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return 127
	}
	return 126
}

// close tells the server that nobody will say anything any more.
func (p *process) close() {
	p.once.Do(func() { _ = p.stdin.Close() })
}

// endWithin waits for the server to end.
func (p *process) endWithin(d time.Duration) bool {
	select {
	case <-p.ended:
		return true
	case <-time.After(d):
		return false
	}
}

// stop ends the server: it is asked, and killed if it does not.
func (p *process) stop(grace time.Duration) {
	terminate(p.cmd.Process)
	if !p.endWithin(grace) {
		_ = p.cmd.Process.Kill() // it may have ended
		<-p.ended
	}
}
