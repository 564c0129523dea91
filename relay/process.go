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

// process is the server's process. Its stderr is a separate pipe: if it inherited the relay's stderr, Claude
// Code and OpenCode would wait for ever for a relay that died while its server lives (2.1.329, 1.18.33).
type process struct {
	cmd            *exec.Cmd
	stdin          *os.File
	stdout, stderr *os.File
	ended          chan struct{} // closed when it has ended
	status         int           // its exit status, once it has ended
	once           sync.Once
}

// start starts the server in the relay's own process group, because Codex ends servers by a signal to the
// group (0.169.0). On Linux the kernel kills the server when the thread that started it ends, so that thread
// must live as long as the relay.
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
	enlargePipe(stdout)
	stderr, errs, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, stdin.Close(), stdout.Close())
	}
	theirs = append(theirs, errs)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, errs
	p.stdin, p.stdout, p.stderr = stdin, stdout, stderr

	started := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine, after the server
		err := startTied(cmd)
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

// notStarted returns the exit status of a program that could not be started, as shells do.
func notStarted(err error) int {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return 127
	}
	return 126
}

func (p *process) close() {
	p.once.Do(func() { _ = p.stdin.Close() })
}

// endWithin waits for the server to end, and reports whether it has.
func (p *process) endWithin(d time.Duration) bool {
	select {
	case <-p.ended:
		return true
	case <-time.After(d):
		return false
	}
}

func (p *process) stop(grace time.Duration) {
	terminate(p.cmd.Process)
	if !p.endWithin(grace) {
		_ = p.cmd.Process.Kill() // it may have ended
		<-p.ended
	}
}
