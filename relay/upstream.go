package relay

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"wsi/internal/jsonraw"
	"wsi/internal/lastwords"
	"wsi/internal/printable"
)

// upstream is the server's program, which may end and be started again while the client stays.
type upstream struct {
	env        Env
	opt        Options
	grace      time.Duration // for the server, after a signal
	proxy      *proxy
	over       chan *process // the last one, when the relay has to end
	clientDead chan struct{} // closed when the client cannot be written to
	die        func()        // closes it

	now atomic.Pointer[process] // nil while there is none

	mu      sync.Mutex
	last    *process
	proven  bool        // a process has sent a message
	leaving bool        // nothing is started any more
	planned string      // why the relay itself has stopped the last process, "" if it has not
	starts  []time.Time // after a process that ended by itself
}

// After a server has ended by itself, it is started again at most startsAgain times in startsWithin.
var startsAgain = 3

const startsWithin = time.Minute

func newUpstream(env Env, opt Options, p *proxy) *upstream {
	u := &upstream{
		env: env, opt: opt, grace: graceOf(opt.Harness), proxy: p,
		over: make(chan *process, 1), clientDead: make(chan struct{}),
	}
	u.die = sync.OnceFunc(func() { close(u.clientDead) })
	return u
}

// begin makes p the running process, unless the relay ends.
func (u *upstream) begin(p *process) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.leaving {
		return false
	}
	u.now.Store(p)
	u.last, u.planned = p, ""
	go u.follow(p)
	return true
}

// follow forwards what a process writes, until it has ended.
func (u *upstream) follow(p *process) {
	stdoutClosed, stderrClosed := make(chan struct{}), make(chan struct{})
	go func() {
		p.words.Listen(io.TeeReader(p.stderr, discardErrors{u.env.Stderr}))
		close(stderrClosed)
	}()
	go func() {
		dead, cut := pump(p, func(line []byte) error { return u.receive(p, line) }, func(piece []byte, first, last bool) error {
			if first {
				u.proxy.oversize()
			}
			return u.proxy.client.part(piece, first, last)
		})
		if p.cut.Store(cut); dead {
			u.die()
		}
		close(stdoutClosed)
	}()
	select {
	case <-p.ended:
	case <-stdoutClosed: // the server cannot answer any more; usually it has ended
		p.retire(u.grace)
	}
	p.drain(stdoutClosed)
	select {
	case <-stderrClosed:
	case <-time.After(drainTimeout):
	}
	p.bury()
	close(p.drained)
	u.lost(p)
	close(p.settled)
}

// receive forwards a line from a process. One that is cut because the process ended is dropped, because the client stays.
func (u *upstream) receive(p *process, line []byte) error {
	if p.over.Load() {
		return os.ErrClosed
	}
	if !p.spoke.Load() {
		p.spoke.Store(jsonraw.Valid(line)) // a launcher's output is not an answer
	}
	if u.opt.Idle > 0 && bytes.Contains(line, []byte(`"taskId"`)) {
		p.tasks.Store(true)
	}
	if n := len(line); !u.opt.NoRestart && (n == 0 || line[n-1] != '\n') {
		if !jsonraw.Valid(line) {
			return nil
		}
		line = append(line, '\n')
	}
	return u.proxy.fromServer(p, line)
}

// lost deals with the end of a process. If the relay stays, every request that was not answered gets an error.
func (u *upstream) lost(p *process) {
	u.mu.Lock()
	u.proven = u.proven || p.spoke.Load()
	stays := u.proven && !u.leaving && !u.opt.NoRestart
	u.mu.Unlock()
	if !stays {
		u.end(p)
		return
	}
	u.proxy.server.mu.Lock()
	defer u.proxy.server.mu.Unlock()
	if u.now.CompareAndSwap(p, nil) {
		fmt.Fprintf(u.env.Stderr, "wsi relay: %s has ended (%s); the next request starts it again\n", u.opt.Server, p.cmd.ProcessState)
		u.proxy.fail(fmt.Sprintf("the server ended (%s) before it answered%s. The request was not repeated, because it may have had an effect; the next request starts the server again", p.cmd.ProcessState, said(p)), p.cut.Load())
	}
}

// end makes the relay end.
func (u *upstream) end(last *process) {
	select {
	case u.over <- last:
	default:
	}
}

// leave makes the relay end with its server, which stop ends.
func (u *upstream) leave(stop func(*process)) {
	u.mu.Lock()
	u.leaving = true
	p, last := u.now.Load(), u.last
	u.mu.Unlock()
	if p == nil {
		u.end(last)
		return
	}
	stop(p)
}

// up returns the running process, and starts one if there is none. The error is for the client. proxy.server.mu must be locked.
func (u *upstream) up() (*process, error) {
	for {
		if p := u.now.Load(); p != nil {
			return p, nil
		}
		began := time.Now()
		why, err := u.mayStart(began)
		if err != nil {
			return nil, err
		}
		p, err := start(u.opt.Command, u.env.Environ)
		if err != nil {
			return nil, fmt.Errorf("the server has ended and cannot be started again: %w", err)
		}
		u.proxy.server.w, u.proxy.server.dead = p.stdin, nil
		if !u.begin(p) {
			p.stop(u.grace)
			p.bury()
			return nil, errLeaving
		}
		greeted := u.greet(p)
		u.proxy.engine.restarted(why, began)
		if !greeted {
			u.now.CompareAndSwap(p, nil)
			p.stop(u.grace)
			<-p.drained
		}
	}
}

var errLeaving = errors.New("wsi relay ends")

// mayStart returns how the last process ended, or an error if the server has to stay as it is.
func (u *upstream) mayStart(now time.Time) (why string, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for len(u.starts) > 0 && now.Sub(u.starts[0]) > startsWithin {
		u.starts = u.starts[1:]
	}
	switch {
	case u.leaving:
		return "", errLeaving
	case u.planned != "":
		return u.planned, nil
	case len(u.starts) >= startsAgain:
		wait := startsWithin - now.Sub(u.starts[0])
		return "", fmt.Errorf("the server ended (%s) and was started again %d times within a minute; wsi relay tries again in %d s%s", u.last.cmd.ProcessState, startsAgain, int(wait.Seconds())+1, said(u.last))
	}
	u.starts = append(u.starts, now)
	return u.last.cmd.ProcessState.String(), nil
}

// said returns what a process wrote last to stderr, as the end of a sentence.
func said(p *process) string {
	words := printable.Line(lastwords.Redact(p.words.Last(), nil))
	if words == "" {
		return ""
	}
	return "; it last wrote: " + words
}
