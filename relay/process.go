package relay

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"

	"wsi/internal/lastwords"
	"wsi/internal/procgroup"
	"wsi/internal/secret"
)

// process is the server's process. Its stderr is a separate pipe: if it inherited the relay's stderr, Claude
// Code and OpenCode would wait for ever for a relay that died while its server lives (2.1.329, 1.18.33).
type process struct {
	cmd            *exec.Cmd
	stdin          io.WriteCloser
	stdout, stderr io.ReadCloser
	ended          chan struct{}    // closed when it has ended
	state          *os.ProcessState // how it ended, once it has
	release        func()           // ends the guard of its group, once it has ended

	words   lastwords.Line // on stderr
	spoke   atomic.Bool    // it has sent a message
	drained chan struct{}  // closed when it has ended and all of its output was forwarded
	served  atomic.Bool    // it has answered a request of the client
	heard   atomic.Int64   // when it last sent something, or reading began, in Unix ms
	busy    atomic.Bool    // its output is being forwarded
	lost    atomic.Bool    // what is not forwarded yet need not be
	over    atomic.Bool    // nothing of its output is forwarded any more
	stray   atomic.Int64   // how many lines on its stdout were not messages, or not only
}

// start starts the server in a process group of its own, which is killed after it. On Linux the kernel kills the server
// when the thread that started it ends, so that thread must live as long as the relay.
func start(command, environ []string) (*process, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = environ
	p := &process{cmd: cmd, ended: make(chan struct{}), drained: make(chan struct{})}
	p.heard.Store(time.Now().UnixMilli())
	var errs [3]error
	p.stdin, errs[0] = cmd.StdinPipe()
	p.stdout, errs[1] = cmd.StdoutPipe()
	p.stderr, errs[2] = cmd.StderrPipe()
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	enlargePipe(p.stdout)

	started := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine, after the server
		err := startTied(cmd)
		if err != nil {
			started <- err
			return
		}
		release := procgroup.Guard(cmd.Process.Pid)
		started <- nil                  // only now, so that no call is made without a guard
		p.state, _ = cmd.Process.Wait() // Wait of cmd would close the pipes, in which there may be more
		p.release = release
		close(p.ended)
	}()
	if err := <-started; err != nil {
		return nil, startError{err}
	}
	return p, nil
}

// startError is why a program could not be started. It shows no login that its name has.
type startError struct{ error }

func (e startError) Unwrap() error { return e.error }

func (e startError) Error() string {
	text := e.error.Error()
	return secret.Replace(text, secret.In(text), "[...]")
}

// notStarted returns the exit status of a program that could not be started, as shells do.
func notStarted(err error) int {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return 127
	}
	return 126
}

// statusOf returns a program's exit status as shells do: 128 plus the signal's number if a signal ended it.
func statusOf(s *os.ProcessState) int {
	if s == nil {
		return 1
	}
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}

func (p *process) close() { _ = p.stdin.Close() }

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

// retire ends a server that can be told nothing any more, or that cannot answer.
func (p *process) retire(grace time.Duration) {
	p.close()
	if !p.endWithin(idleTimeout) {
		p.stop(grace)
	}
}

// drain waits until all output of the ended server is forwarded. What it wrote last may still be in the pipe when the
// relay hears of its end, so the time begins now. A program that it started may write on, so it takes at most so long.
func (p *process) drain(stdoutClosed <-chan struct{}, most time.Duration) {
	began := time.Now()
	p.heard.Store(began.UnixMilli())
	defer p.over.Store(true)
	for {
		select {
		case <-stdoutClosed:
			return
		case <-time.After(tick):
		}
		took := time.Since(began)
		if p.silence() > drainTimeout || took > drainMost && !p.busy.Load() || took > most || p.lost.Load() {
			return
		}
	}
}

func (p *process) silence() time.Duration {
	if p.busy.Load() && !p.lost.Load() {
		return 0
	}
	return time.Since(time.UnixMilli(p.heard.Load()))
}

// Read reads what the server sends, and notes when it does.
func (p *process) Read(b []byte) (int, error) {
	p.heard.Store(time.Now().UnixMilli())
	p.busy.Store(false)
	n, err := p.stdout.Read(b)
	p.busy.Store(err == nil)
	return n, err
}

// serves notes that the process has answered a request of the client. It may be nil, for a server over HTTP.
func (p *process) serves() {
	if p != nil {
		p.served.Store(true)
	}
}

// bury kills what the ended server has left running, and closes the pipes.
func (p *process) bury() {
	procgroup.Kill(p.cmd)
	p.release()
	p.close()
	_, _ = p.stdout.Close(), p.stderr.Close()
}
