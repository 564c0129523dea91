package relay

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"wsi/relay/wire"
)

// session is one run of the relay for a server on stdio, from its start to its end.
type session struct {
	env    Env
	server *upstream
	proxy  *proxy
	finish time.Duration // for the server's calls, after the client has closed the relay's stdin
}

// After the client has closed the relay's stdin, the server may finish its calls within finishTimeout.
var finishTimeout = 60 * time.Second

const (
	// idleTimeout is how long a server that has finished its calls may take to end by itself.
	idleTimeout = 2 * time.Second
	// drainTimeout is how long to wait for more output of a server that has ended. A program that it started
	// may hold the pipe open.
	drainTimeout = 300 * time.Millisecond
	// drainMost is how long that takes at most, if the client reads.
	drainMost = 2 * time.Second
	tick      = 20 * time.Millisecond
)

func (s *session) run(first *process) (status int) {
	enlargePipe(s.env.Stdout)
	clientClosed, clientDead := make(chan struct{}), s.server.clientDead
	s.server.begin(first)
	in := newInput(s.env, s.server.die)
	go func() {
		pump(s.env, in, s.proxy.fromClient)
		in.done()
		close(clientClosed)
	}()
	go s.proxy.perform()
	if s.server.opt.Watch != nil {
		done := make(chan struct{})
		defer close(done)
		go s.server.tend(done)
	}
	defer s.proxy.end()
	for {
		select {
		case last := <-s.server.over:
			<-last.drained
			return statusOf(last.state)
		case signal := <-s.env.Signals:
			s.server.leave(func(p *process) {
				pass(p.cmd.Process, signal)
				time.AfterFunc(s.server.grace, func() { _ = p.cmd.Process.Kill(); p.lost.Store(true) }) // what is unread is lost
			})
		case <-clientDead:
			clientDead = nil
			go s.server.leave(func(p *process) { p.retire(s.server.grace) })
		case <-clientClosed:
			clientClosed = nil
			go s.dismiss()
		}
	}
}

// dismiss ends the server after the client has closed the relay's stdin. Earlier requests are still answered, unless the client
// is gone, because it may be a pipe that is read to its end.
func (s *session) dismiss() {
	end := time.Now().Add(s.finish)
	for s.proxy.hasHeld() && hasReader(s.env.Stdout) && time.Now().Before(end) {
		time.Sleep(tick)
	}
	s.server.leave(func(p *process) {
		p.close()
		p.heard.Store(time.Now().UnixMilli())
		for ended := false; !ended && (s.proxy.isWaiting() && hasReader(s.env.Stdout) || p.silence() <= idleTimeout) && time.Now().Before(end); {
			ended = p.endWithin(tick)
		}
		p.stop(s.server.grace)
		select {
		case <-p.drained:
		case <-time.After(time.Until(end)): // what is not read by now is lost
			p.lost.Store(true)
		}
	})
}

// pump reads messages until the end, or until one is too long, and passes them to handle. It reports whether forwarding failed.
func pump(env Env, from io.Reader, handle func(line []byte) error) (dead bool) {
	lines := wire.NewLines(from)
	for {
		line, err := lines.Next()
		if errors.Is(err, wire.ErrTooLong) {
			fmt.Fprintf(env.Stderr, "wsi relay: %v; nothing more is read\n", err)
		}
		failed := handle(line)
		if failed != nil || err != nil {
			return failed != nil && !errors.Is(failed, os.ErrClosed)
		}
	}
}

// discardErrors is a writer that never fails, so that a closed stderr does not block the server.
type discardErrors struct{ w io.Writer }

func (d discardErrors) Write(p []byte) (int, error) {
	_, _ = d.w.Write(p)
	return len(p), nil
}
