package relay

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"wsi/relay/wire"
)

// limits are how patient a relay is. Tests are less so.
type limits struct {
	patience     time.Duration // how long a call is held
	finish       time.Duration // for the server's calls, after the client has closed the relay's stdin
	tend         time.Duration // how often it looks whether a watched file has changed
	failures     int           // after so many processes in a row that have answered nothing, the next one is started after a pause
	greetingOver func(time.Duration) <-chan time.Time
}

// OpenCode 1.18.33 gives a call up after 30 s.
var usual = limits{patience: 25 * time.Second, finish: 60 * time.Second, tend: 500 * time.Millisecond, failures: 3, greetingOver: time.After}

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

// run relays from the start of the first process to the end, and returns the exit status.
func (u *upstream) run(first *process) (status int) {
	enlargePipe(u.env.Stdout)
	clientClosed, clientDead := make(chan struct{}), u.clientDead
	u.begin(first)
	in := newInput(u.env, u.die, u.proxy.limits.finish)
	go func() {
		pump(u.env, in, u.proxy.fromClient)
		in.done()
		close(clientClosed)
	}()
	go u.proxy.perform()
	if u.opt.Watch != nil {
		done := make(chan struct{})
		defer close(done)
		go u.tend(done)
	}
	defer u.proxy.end()
	for {
		select {
		case last := <-u.over:
			<-last.drained
			return statusOf(last.state)
		case signal := <-u.env.Signals:
			u.leave(func(p *process) {
				pass(p.cmd.Process, signal)
				time.AfterFunc(u.grace, func() { _ = p.cmd.Process.Kill(); p.lost.Store(true) }) // what is unread is lost
			})
		case <-clientDead:
			clientDead = nil
			go u.leave(func(p *process) { p.retire(u.grace) })
		case <-clientClosed:
			clientClosed = nil
			go u.dismiss()
		}
	}
}

// dismiss ends the server after the client has closed the relay's stdin. Earlier requests are still answered, unless the client
// is gone, because it may be a pipe that is read to its end.
func (u *upstream) dismiss() {
	end := time.Now().Add(u.proxy.limits.finish)
	for u.proxy.hasHeld() && hasReader(u.env.Stdout) && time.Now().Before(end) {
		time.Sleep(tick)
	}
	u.leave(func(p *process) {
		p.close()
		p.heard.Store(time.Now().UnixMilli())
		for ended := false; !ended && (u.proxy.isWaiting() && hasReader(u.env.Stdout) || p.silence() <= idleTimeout) && time.Now().Before(end); {
			ended = p.endWithin(tick)
		}
		p.stop(u.grace)
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
