package relay

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"wsi/hook/carry"
	"wsi/hook/journal"
	"wsi/relay/wire"
)

// parcel is a message of the client on its way to the server.
type parcel struct {
	message wire.Message // as the client wrote it
	key     string       // of a request, by wire.Key of its id; "" for a notification
	call    *call        // nil for a request with an answer that is not inspected
	line    []byte       // what the server gets
}

// deliver writes a message to the server. If the server has ended, or is being started, a request waits for it. m is the zero Message
// if it is not a request, and c is nil if an answer is not inspected.
func (p *proxy) deliver(m wire.Message, c *call, line []byte) error {
	p.server.mu.Lock()
	defer p.server.mu.Unlock()
	return p.writeOrWait(parcel{m, wire.Key(m.ID), c, line})
}

// writeOrWait writes a message, or keeps it for the next process. p.server.mu must be locked.
func (p *proxy) writeOrWait(m parcel) error {
	switch u := p.upstream; {
	case u != nil && !u.ready:
		u.await(m)
		return nil
	case m.key == "":
		return p.put(m.line)
	case !p.open(m):
		return nil
	}
	err := p.server.put(m.line)
	if err == nil && !strings.HasPrefix(m.message.Method, "resources/") { // a subscription counts once the server has agreed
		p.note(m.message)
	}
	if err == nil || p.upstream == nil || p.upstream.opt.NoRestart {
		p.sent(m.call)
		return err
	}
	p.upstream.ready = false
	go p.upstream.now.Load().retire(p.upstream.grace) // if it has not ended, it has closed its stdin
	if p.server.wrote > 0 {                           // what became of it is not known, so it gets an error with the others
		p.sent(m.call)
		return nil
	}
	p.reopen(m)
	p.upstream.await(m)
	return nil
}

// put writes to the running server. The end of one that can be started again is noticed elsewhere. p.server.mu must be locked.
func (p *proxy) put(line []byte) error {
	err := p.server.put(line)
	if p.upstream != nil && !p.upstream.opt.NoRestart {
		return nil
	}
	return err
}

// open records that a request is being written: from that moment on it counts as open. It returns false if the call was
// cancelled before. A later cancellation is forwarded.
func (p *proxy) open(m parcel) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch c := m.call; {
	case c == nil:
		if len(p.passing) < maxCalls {
			p.passing[m.key] = true
		}
	case c.stage == dropped:
		return false
	default:
		c.resume()
		c.stage, c.since = running, time.Now()
	}
	return true
}

// reopen takes back that a request was written.
func (p *proxy) reopen(m parcel) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m.call == nil {
		delete(p.passing, m.key)
	} else if m.call.stage == running {
		m.call.stage = sending
	}
}

// giveBack answers a request that cannot be written.
func (p *proxy) giveBack(m parcel, why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case m.key == "", m.call != nil && m.call.stage == dropped:
		return
	case m.call != nil:
		p.forget(m.call)
		p.notSent(m.call, carry.Denied, "the server does not run")
	}
	p.answerError(m.key, why)
}

// waiting holds what the client sends while there is no server that can be told: it has ended, or is being started. Nothing else
// waits for a start, so a cancellation is heard, and a question of the new process has its answer.
type waiting struct {
	all   []parcel
	bytes int
}

// await keeps a message for the next process. A request starts it, a notification does not. u.proxy.server.mu must be locked.
func (u *upstream) await(m parcel) {
	p := u.proxy
	p.mu.Lock()
	w := &p.waiting
	idle := u.now.Load() == nil && len(w.all) == 0
	full := len(w.all) >= maxHeld || w.bytes+len(m.line) > maxHeldBytes
	if !full && (m.key != "" || !idle) {
		w.all, w.bytes = append(w.all, m), w.bytes+len(m.line)
		if m.call != nil {
			m.call.pause()
		}
	}
	p.mu.Unlock()
	switch {
	case full:
		p.giveBack(m, "too many requests wait for the server to start")
	case m.key != "" && u.now.Load() == nil:
		_ = u.start() // the request gets the error
	}
}

// takeWaiting returns what waits, which then waits no more.
func (p *proxy) takeWaiting() []parcel {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := p.waiting.all
	p.waiting = waiting{}
	return all
}

// isAwaited reports whether a request waits for the server. Notifications alone are dropped.
func (p *proxy) isAwaited() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if slices.ContainsFunc(p.waiting.all, func(m parcel) bool { return m.key != "" }) {
		return true
	}
	p.waiting = waiting{}
	return false
}

// dropWaiting drops a request that the client has cancelled, and reports whether it waited. p.mu must be locked.
func (p *proxy) dropWaiting(key string) bool {
	before := len(p.waiting.all)
	p.waiting.all = slices.DeleteFunc(p.waiting.all, func(m parcel) bool {
		if m.key == key {
			p.waiting.bytes -= len(m.line)
		}
		return m.key == key
	})
	return len(p.waiting.all) < before
}

// refuseWaiting answers the requests that wait with an error.
func (p *proxy) refuseWaiting(why string) {
	for _, m := range p.takeWaiting() {
		p.giveBack(m, why)
	}
}

// start starts a process, unless too many have failed: then what waits gets the error. u.proxy.server.mu must be locked.
func (u *upstream) start() (err error) {
	defer func() {
		if err != nil {
			u.proxy.refuseWaiting(err.Error())
		}
	}()
	began := time.Now()
	why, err := u.mayStart(began)
	if err != nil {
		return err
	}
	p, err := start(u.opt.Command, u.env.Environ)
	if err != nil {
		return fmt.Errorf("the server has ended and cannot be started again: %w", err)
	}
	u.proxy.server.w, u.proxy.server.dead = p.stdin, nil
	if !u.begin(p) {
		p.stop(u.grace)
		p.bury()
		return errLeaving
	}
	go u.introduce(p, why, began)
	return nil
}

// introduce makes a new process ready: it gets what the one before it was told, and then what waits. One that does not answer
// initialize is ended, and what waits gets an error.
func (u *upstream) introduce(p *process, why string, began time.Time) {
	greeted := u.greet(p)
	u.proxy.engine.logServer(journal.Restart, journal.Restarted, why, began)
	if !greeted {
		select {
		case <-p.ended: // another process may be started
		default:
			u.proxy.refuseWaiting(fmt.Sprintf("the server was started again and did not answer initialize within %s%s", greetTimeout, said(p)))
			p.stop(u.grace)
		}
		return
	}
	u.proxy.server.mu.Lock()
	defer u.proxy.server.mu.Unlock()
	if u.now.Load() != p {
		return
	}
	u.ready = true
	for _, m := range u.proxy.takeWaiting() {
		_ = u.proxy.writeOrWait(m) // the end of the server is noticed elsewhere
	}
}

var errLeaving = errors.New("the relay is ending")

// mayStart returns how the last process ended, or an error if the server has to stay as it is.
func (u *upstream) mayStart(now time.Time) (why string, err error) {
	u.proxy.mu.Lock()
	defer u.proxy.mu.Unlock()
	wait := pauseAfterFailures - now.Sub(u.failedAt)
	switch {
	case u.leaving:
		return "", errLeaving
	case u.planned != "":
		return u.planned, nil
	case u.failed >= u.proxy.limits.failures && wait > 0:
		return "", fmt.Errorf("the server ended (%s) %d times in a row before it answered anything; wsi relay starts it again in %d s at the earliest%s",
			u.last.state, u.failed, int(wait.Seconds())+1, said(u.last))
	}
	return u.last.state.String(), nil
}
