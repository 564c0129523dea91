package relay

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
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

// input is what the client sends. While a message is forwarded to a server that does not read, nothing is read from the client,
// so only input notices that the client has gone.
type input struct {
	env    Env
	die    func()        // ends the relay
	finish time.Duration // how long a client that has closed its end may wait for a server that does not read
	stuck  *time.Timer   // calls watch
	turn   atomic.Int64  // counts reads and forwardings: odd while reading, and when nothing is left to forward
}

func newInput(env Env, die func(), finish time.Duration) *input {
	i := &input{env: env, die: die, finish: finish}
	i.stuck = time.AfterFunc(idleTimeout, i.watch)
	return i
}

func (i *input) Read(b []byte) (int, error) {
	i.turn.Add(1)
	n, err := i.env.Stdin.Read(b)
	i.turn.Add(1) // at the end, too: half a message may be forwarded now
	i.stuck.Reset(idleTimeout)
	return n, err
}

// done says that everything is forwarded.
func (i *input) done() { i.turn.Add(1) }

// watch ends the relay if the client goes before its message is forwarded.
func (i *input) watch() {
	open := time.Now() // when the client's end was last seen open
	for turn := i.turn.Load(); turn%2 == 0 && i.turn.Load() == turn; time.Sleep(10 * tick) {
		if hasWriter(i.env.Stdin) {
			open = time.Now()
		}
		if !hasReader(i.env.Stdout) || time.Since(open) > i.finish {
			i.die()
			return
		}
	}
}

// messageWriter writes messages, one at a time.
type messageWriter struct {
	mu    sync.Mutex
	w     io.Writer
	dead  error // the first error; after it nothing is written
	wrote int   // bytes of the last message
}

func (w *messageWriter) write(line []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.put(line)
}

// put is write with w.mu locked.
func (w *messageWriter) put(line []byte) error {
	w.wrote = 0
	if len(line) > 0 && w.dead == nil {
		w.wrote, w.dead = w.w.Write(line)
	}
	return w.dead
}
