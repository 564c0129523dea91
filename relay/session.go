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

	heard atomic.Int64 // when the server last sent something, or reading began, in Unix ms
	busy  atomic.Bool  // its output is being forwarded
}

const (
	// After the client has closed the relay's stdin, the server may finish its calls, and then has idleTimeout to
	// end by itself.
	finishTimeout = 60 * time.Second
	idleTimeout   = 2 * time.Second
	// drainTimeout is how long to wait for more output of a server that has ended. A program that it started
	// may hold the pipe open.
	drainTimeout = 300 * time.Millisecond
	tick         = 20 * time.Millisecond
)

func (c *session) run() (status int) {
	if out, ok := c.env.Stdout.(*os.File); ok {
		enlargePipe(out)
	}
	c.heard.Store(time.Now().UnixMilli())
	stdoutClosed, clientClosed, clientDead := make(chan struct{}), make(chan struct{}), make(chan struct{})
	stderrClosed := make(chan struct{})
	go func() {
		_, _ = io.Copy(discardErrors{c.env.Stderr}, c.process.stderr)
		close(stderrClosed)
	}()
	go func() {
		if pump(c.listening(c.process.stdout), c.proxy.fromServer, c.proxy.client, c.proxy.oversize) {
			close(clientDead)
		}
		close(stdoutClosed)
	}()
	go func() {
		pump(c.env.Stdin, c.proxy.fromClient, c.proxy.server, func() {})
		close(clientClosed)
	}()
	go c.proxy.perform()
	defer c.proxy.engine.journal.close()
	defer c.proxy.end()
	c.wait(clientClosed, clientDead, stdoutClosed)

	c.drain(stdoutClosed)
	select {
	case <-stderrClosed:
	case <-time.After(drainTimeout):
	}
	return c.process.status
}

// wait returns when the server has ended. It stops the server if the client is dead.
func (c *session) wait(clientClosed, clientDead, stdoutClosed <-chan struct{}) {
	for {
		select {
		case <-c.process.ended:
			return
		case s := <-c.env.Signals:
			pass(c.process.cmd.Process, s)
			time.AfterFunc(c.grace, func() { _ = c.process.cmd.Process.Kill() }) // it may have ended
		case <-clientDead:
			c.process.close()
			c.process.stop(c.grace)
			return
		case <-stdoutClosed: // the server cannot answer any more; usually it has ended
			if stdoutClosed = nil; !c.process.endWithin(idleTimeout) {
				c.process.close()
				c.process.stop(c.grace)
			}
		case <-clientClosed:
			clientClosed = nil
			go c.dismiss()
		}
	}
}

// dismiss ends the server after the client has closed the relay's stdin. Earlier requests are still answered,
// because the client may be a pipe that is read to its end.
func (c *session) dismiss() {
	end := time.Now().Add(finishTimeout)
	for c.proxy.hasHeld() && time.Now().Before(end) {
		if c.process.endWithin(tick) {
			return
		}
	}
	c.process.close()
	for (c.proxy.isWaiting() || c.silence() <= idleTimeout) && time.Now().Before(end) {
		if c.process.endWithin(tick) {
			return
		}
	}
	c.process.stop(c.grace)
}

// silence returns how long the server has sent nothing.
func (c *session) silence() time.Duration {
	if c.busy.Load() {
		return 0
	}
	return time.Since(time.UnixMilli(c.heard.Load()))
}

// drain waits until all output of the ended server is forwarded.
func (c *session) drain(stdoutClosed <-chan struct{}) {
	for {
		select {
		case <-stdoutClosed:
			return
		case <-time.After(tick):
			if c.silence() > drainTimeout {
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
func (c *session) listening(r io.Reader) io.Reader { return listener{c, r} }

type listener struct {
	c *session
	r io.Reader
}

func (l listener) Read(p []byte) (int, error) {
	l.c.heard.Store(time.Now().UnixMilli())
	l.c.busy.Store(false)
	n, err := l.r.Read(p)
	l.c.busy.Store(true)
	if err != nil {
		l.c.busy.Store(false)
	}
	return n, err
}

// discardErrors is a writer that never fails, so that a closed stderr does not block the server.
type discardErrors struct{ w io.Writer }

func (s discardErrors) Write(p []byte) (int, error) {
	_, _ = s.w.Write(p)
	return len(p), nil
}
