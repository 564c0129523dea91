package relay

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
	"time"

	"wsi/relay/wire"
)

// conversation is one run of the relay, from the start of the server to its end.
type conversation struct {
	env     Env
	process *process
	traffic *proxy
	grace   time.Duration // for the server, after a signal

	heard atomic.Int64 // when the server last said something, or began to be listened to, in Unix ms
	busy  atomic.Bool  // what it said is being passed on
}

const (
	// A server whose client is gone may finish the calls it has been given, and is given a moment to end by
	// itself.
	unfinished = 60 * time.Second
	quiet      = 2 * time.Second
	// lastWords is how long a pipe of a server that has ended is read on while nothing comes: a program that
	// it has started may hold it open.
	lastWords = 300 * time.Millisecond
	tick      = 20 * time.Millisecond
)

func (c *conversation) run() (status int) {
	if out, ok := c.env.Stdout.(*os.File); ok {
		widen(out)
	}
	c.heard.Store(time.Now().UnixMilli())
	silent, hungUp, deaf := make(chan struct{}), make(chan struct{}), make(chan struct{})
	told := make(chan struct{}) // all of stderr was passed on
	go func() {
		_, _ = io.Copy(survivor{c.env.Stderr}, c.process.stderr) // nobody need read it
		close(told)
	}()
	go func() {
		if pump(c.listening(c.process.stdout), c.traffic.fromServer, c.traffic.client, c.traffic.unread) {
			close(deaf)
		}
		close(silent)
	}()
	go func() {
		pump(c.env.Stdin, c.traffic.fromClient, c.traffic.server, func() {})
		close(hungUp)
	}()
	go c.traffic.perform()
	defer c.traffic.engine.journal.close()
	defer c.traffic.end()
	c.wait(hungUp, deaf, silent)

	c.drain(silent)
	select {
	case <-told:
	case <-time.After(lastWords):
	}
	return c.process.status
}

// wait returns when the server has ended, by itself or because it had to.
func (c *conversation) wait(hungUp, deaf, silent <-chan struct{}) {
	for {
		select {
		case <-c.process.ended:
			return
		case s := <-c.env.Signals:
			pass(c.process.cmd.Process, s)
			time.AfterFunc(c.grace, func() { _ = c.process.cmd.Process.Kill() }) // it may have ended
		case <-deaf: // nobody is there to read an answer
			c.process.close()
			c.process.stop(c.grace)
			return
		case <-silent: // a server that has closed its stdout answers nothing any more; most have ended
			if silent = nil; !c.process.endWithin(quiet) {
				c.process.close()
				c.process.stop(c.grace)
			}
		case <-hungUp:
			hungUp = nil
			go c.dismiss()
		}
	}
}

// dismiss ends a server whose client will say nothing any more. What was said before is answered: the
// client may be a pipe that is read to its end.
func (c *conversation) dismiss() {
	end := time.Now().Add(unfinished)
	for c.traffic.holds() && time.Now().Before(end) {
		if c.process.endWithin(tick) {
			return
		}
	}
	c.process.close()
	for (c.traffic.asks() || c.silence() <= quiet) && time.Now().Before(end) {
		if c.process.endWithin(tick) {
			return
		}
	}
	c.process.stop(c.grace)
}

// silence is how long nothing has come from the server.
func (c *conversation) silence() time.Duration {
	if c.busy.Load() {
		return 0
	}
	return time.Since(time.UnixMilli(c.heard.Load()))
}

// drain waits until all has been passed on that a server has said that has ended.
func (c *conversation) drain(silent <-chan struct{}) {
	for {
		select {
		case <-silent:
			return
		case <-time.After(tick):
			if c.silence() > lastWords {
				return
			}
		}
	}
}

// pump reads messages until there are no more, and gives them to handle. Lines that are too long pass
// unread, after a call of long. It is true if what it reads could not be passed on any more.
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

// listening notes when the server says something.
func (c *conversation) listening(r io.Reader) io.Reader { return listener{c, r} }

type listener struct {
	c *conversation
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

// survivor swallows what nobody reads any more: a server must not be held up by that.
type survivor struct{ w io.Writer }

func (s survivor) Write(p []byte) (int, error) {
	_, _ = s.w.Write(p) // there is nobody to tell
	return len(p), nil
}
