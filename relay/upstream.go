package relay

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"wsi/hook/journal"
	"wsi/internal/lastwords"
	"wsi/internal/lists"
	"wsi/internal/phrase"
	"wsi/internal/printable"
	"wsi/relay/wire"
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

	ready bool // now has been told what the one before it was told; proxy.server.mu guards it

	// proxy.mu guards these.
	last     *process
	proven   bool   // a process has sent a message
	leaving  bool   // nothing is started any more
	planned  string // why the relay itself has stopped the last process, "" if it has not
	again    bool   // a stopped process is started again at once
	failed   int    // the last processes that ended by themselves without an answer to the client
	failedAt time.Time
}

const pauseAfterFailures = time.Minute

func newUpstream(env Env, opt Options, p *proxy) *upstream {
	u := &upstream{
		env: env, opt: opt, grace: cmp.Or(p.engine.can.StopTimeout, 5*time.Second), proxy: p,
		over: make(chan *process, 1), clientDead: make(chan struct{}), ready: true,
	}
	u.die = sync.OnceFunc(func() { close(u.clientDead) })
	return u
}

// begin makes p the running process, unless the relay ends.
func (u *upstream) begin(p *process) bool {
	u.proxy.mu.Lock()
	defer u.proxy.mu.Unlock()
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
		if pump(u.env, p, func(line []byte) error { return u.receive(p, line) }) {
			u.die()
		}
		close(stdoutClosed)
	}()
	select {
	case <-p.ended:
	case <-stdoutClosed: // the server cannot answer any more; usually it has ended
		p.retire(u.grace)
	}
	p.drain(stdoutClosed, u.proxy.limits.finish)
	if n := p.stray.Load(); n > 0 {
		u.proxy.engine.logServer(journal.Output, journal.Diverted, phrase.Count(int(n), "line"), time.Now())
	}
	select {
	case <-stderrClosed:
	case <-time.After(drainTimeout):
	}
	p.bury()
	close(p.drained)
	u.lost(p)
}

// receive forwards a line from a process. A line that is not a message, such as a launcher's banner, goes to stderr, because strict
// clients end at it. A message that is cut because the process ended is dropped, because the client stays.
func (u *upstream) receive(p *process, line []byte) error {
	if p.over.Load() {
		return os.ErrClosed
	}
	line, stray := wire.Split(line)
	if len(stray) > 0 {
		p.stray.Add(1)
		_, _ = fmt.Fprintf(u.env.Stderr, "%s\n", bytes.TrimSpace(stray)) // nothing can be said if it is closed
	}
	if len(line) == 0 {
		return nil
	}
	p.spoke.Store(true)
	if n := len(line); !u.opt.NoRestart && (n == 0 || line[n-1] != '\n') {
		if !json.Valid(line) {
			return nil
		}
		line = append(line, '\n')
	}
	return u.proxy.fromServer(p, line)
}

// lost deals with the end of a process. If the relay stays, every request that was not answered gets an error.
func (u *upstream) lost(p *process) {
	u.proxy.mu.Lock()
	u.proven = u.proven || p.spoke.Load()
	stays := u.proven && !u.leaving && !u.opt.NoRestart
	u.proxy.mu.Unlock()
	if !stays {
		u.end(p)
		return
	}
	u.proxy.server.mu.Lock()
	defer u.proxy.server.mu.Unlock()
	u.now.Store(nil)
	u.ready = false
	u.proxy.mu.Lock()
	planned, again := u.planned != "", u.again
	u.again = false
	if u.failed, u.failedAt = u.failed+1, time.Now(); planned || p.served.Load() {
		u.failed = 0
	}
	u.proxy.mu.Unlock()
	if planned {
		u.proxy.fail("the server was stopped")
	} else {
		fmt.Fprintf(u.env.Stderr, "wsi relay: %s has ended (%s); the next request starts it again\n", u.opt.Server, p.state)
		u.proxy.fail(fmt.Sprintf("the server ended (%s) before it answered%s. The request was not repeated, because it may have had an effect; the next request starts the server again", p.state, said(p)))
	}
	if u.proxy.isAwaited() || again {
		_ = u.start() // what waits gets the error
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
	u.proxy.mu.Lock()
	u.leaving = true
	p, last := u.now.Load(), u.last
	u.proxy.mu.Unlock()
	if p == nil {
		u.end(last)
		return
	}
	stop(p)
}

// said returns what a process wrote last to stderr, as the end of a sentence.
func said(p *process) string {
	words := printable.Inert(printable.Line(lastwords.Redact(p.words.Last(), nil)))
	if words == "" {
		return ""
	}
	return "; it last wrote: " + words
}

// tend starts the server again when a watched file has changed.
func (u *upstream) tend(done <-chan struct{}) {
	ticks := time.NewTicker(u.proxy.limits.tend)
	defer ticks.Stop()
	was, changed := lists.Map(u.opt.Watch, stampOf), false
	for {
		select {
		case <-done:
			return
		case <-ticks.C:
		}
		switch now := lists.Map(u.opt.Watch, stampOf); {
		case !slices.EqualFunc(now, was, stamp.same): // it may still be written
			was, changed = now, true
		case changed:
			changed = !u.reload()
		}
	}
}

// stamp is what shows that a file was changed or replaced; package managers give all files one time.
type stamp struct {
	info    os.FileInfo // nil = it does not exist
	changed int64       // when its inode was changed; 0 on Windows
}

func stampOf(file string) stamp {
	s := stamp{changed: inodeChanged(file)}
	s.info, _ = os.Stat(file) // nil if it fails
	if s.info != nil {
		os.SameFile(s.info, s.info) // on Windows it reads the file's index at the first call
	}
	return s
}

func (s stamp) same(as stamp) bool {
	if s.info == nil || as.info == nil {
		return s.info == as.info
	}
	return os.SameFile(s.info, as.info) && s.info.Size() == as.info.Size() && s.info.ModTime().Equal(as.info.ModTime()) && s.changed == as.changed
}

// reload starts the server again between two calls. It returns false if that must wait.
func (u *upstream) reload() bool {
	u.proxy.server.mu.Lock()
	defer u.proxy.server.mu.Unlock()
	p := u.now.Load()
	if p != nil && (!u.ready || u.proxy.isOpen()) {
		return false
	}
	u.proxy.mu.Lock()
	u.failed, u.planned, u.again = 0, "a watched file changed", p != nil
	u.proxy.mu.Unlock()
	if p == nil {
		_ = u.start() // the next request gets the error
		return true
	}
	u.ready = false
	go p.retire(u.grace)
	return true
}

// isOpen reports whether client or server wait for something else than what the client listens to.
func (p *proxy) isOpen() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.calls {
		if c.stage != cancelled {
			return true
		}
	}
	for key := range p.passing {
		if p.greeting.listens[key] == nil {
			return true
		}
	}
	return len(p.asked) > 0
}
