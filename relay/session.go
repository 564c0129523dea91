package relay

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
	"time"

	"wsi/relay/wire"
)

// session is one run of the relay for a server on stdio, from its start to its end.
type session struct {
	env     Env
	process *process
	proxy   *proxy
	grace   time.Duration // for the server, after a signal
	finish  time.Duration // for the server's calls, after the client has closed the relay's stdin

	heard atomic.Int64 // when the server last sent something, or reading began, in Unix ms
	busy  atomic.Bool  // its output is being forwarded
}

// After the client has closed the relay's stdin, the server may finish its calls within finishTimeout.
var finishTimeout = 60 * time.Second

const (
	// idleTimeout is how long a server that has finished its calls may take to end by itself.
	idleTimeout = 2 * time.Second
	// drainTimeout is how long to wait for more output of a server that has ended. A program that it started
	// may hold the pipe open.
	drainTimeout = 300 * time.Millisecond
	tick         = 20 * time.Millisecond
)

func (s *session) run() (status int) {
	if out, ok := s.env.Stdout.(*os.File); ok {
		enlargePipe(out)
	}
	s.heard.Store(time.Now().UnixMilli())
	stdoutClosed, clientClosed, clientDead := make(chan struct{}), make(chan struct{}), make(chan struct{})
	stderrClosed := make(chan struct{})
	go func() {
		_, _ = io.Copy(discardErrors{s.env.Stderr}, s.process.stderr)
		close(stderrClosed)
	}()
	go func() {
		if pump(s.listening(s.process.stdout), s.proxy.fromServer, s.proxy.client, s.proxy.oversize) {
			close(clientDead)
		}
		close(stdoutClosed)
	}()
	go func() {
		pump(s.env.Stdin, s.proxy.fromClient, s.proxy.server, func() {})
		close(clientClosed)
	}()
	go s.proxy.perform()
	defer s.proxy.engine.journal.close()
	defer s.proxy.end()
	s.wait(clientClosed, clientDead, stdoutClosed)

	s.drain(stdoutClosed)
	select {
	case <-stderrClosed:
	case <-time.After(drainTimeout):
	}
	return s.process.status
}

// wait returns when the server has ended. It stops the server if the client is dead.
func (s *session) wait(clientClosed, clientDead, stdoutClosed <-chan struct{}) {
	for {
		select {
		case <-s.process.ended:
			return
		case signal := <-s.env.Signals:
			pass(s.process.cmd.Process, signal)
			time.AfterFunc(s.grace, func() { _ = s.process.cmd.Process.Kill() }) // it may have ended
		case <-clientDead:
			s.process.close()
			s.process.stop(s.grace)
			return
		case <-stdoutClosed: // the server cannot answer any more; usually it has ended
			if stdoutClosed = nil; !s.process.endWithin(idleTimeout) {
				s.process.close()
				s.process.stop(s.grace)
			}
		case <-clientClosed:
			clientClosed = nil
			go s.dismiss()
		}
	}
}

// dismiss ends the server after the client has closed the relay's stdin. Earlier requests are still answered,
// because the client may be a pipe that is read to its end.
func (s *session) dismiss() {
	end := time.Now().Add(s.finish)
	for s.proxy.hasHeld() && time.Now().Before(end) {
		if s.process.endWithin(tick) {
			return
		}
	}
	s.process.close()
	for (s.proxy.isWaiting() || s.silence() <= idleTimeout) && time.Now().Before(end) {
		if s.process.endWithin(tick) {
			return
		}
	}
	s.process.stop(s.grace)
}

func (s *session) silence() time.Duration {
	if s.busy.Load() {
		return 0
	}
	return time.Since(time.UnixMilli(s.heard.Load()))
}

// drain waits until all output of the ended server is forwarded. What it wrote last may still be in the pipe when the
// relay hears of its end, so the time begins now.
func (s *session) drain(stdoutClosed <-chan struct{}) {
	s.heard.Store(time.Now().UnixMilli())
	for {
		select {
		case <-stdoutClosed:
			return
		case <-time.After(tick):
			if s.silence() > drainTimeout {
				return
			}
		}
	}
}

// pump reads messages until the end and passes them to handle. If a line is too long, it calls long and forwards
// the line unread. It reports whether forwarding failed.
func pump(from io.Reader, handle func(line []byte) error, to *messageWriter, long func()) (dead bool) {
	lines := wire.NewLines(from)
	within := false
	for {
		line, kind, err := lines.Next()
		var failed error
		switch kind {
		case wire.Whole, wire.Half:
			failed = handle(line)
		case wire.Piece, wire.Last:
			if !within {
				long()
				to.mu.Lock()
			}
			failed = to.part(line, kind == wire.Last)
			if within = kind == wire.Piece; !within {
				to.mu.Unlock()
			}
		}
		if failed != nil || err != nil {
			if within {
				to.mu.Unlock()
			}
			return failed != nil && !errors.Is(failed, os.ErrClosed)
		}
	}
}

// listening returns a reader that notes when the server sends something.
func (s *session) listening(r io.Reader) io.Reader { return listener{s, r} }

type listener struct {
	session *session
	r       io.Reader
}

func (l listener) Read(p []byte) (int, error) {
	l.session.heard.Store(time.Now().UnixMilli())
	l.session.busy.Store(false)
	n, err := l.r.Read(p)
	l.session.busy.Store(true)
	if err != nil {
		l.session.busy.Store(false)
	}
	return n, err
}

// discardErrors is a writer that never fails, so that a closed stderr does not block the server.
type discardErrors struct{ w io.Writer }

func (d discardErrors) Write(p []byte) (int, error) {
	_, _ = d.w.Write(p)
	return len(p), nil
}
