package relay

import (
	"time"

	"wsi/hook/carry"
	"wsi/relay/wire"
)

// parcel is a message of the client on its way to the server.
type parcel struct {
	message wire.Message // as the client wrote it
	key     string       // of a request, by wire.Key of its id; "" for a notification
	call    *call        // nil for a request with an answer that is not inspected
	line    []byte       // what the server gets
}

// deliver writes a request to the server. If the server has ended, or is being started, the request waits for it. c is nil for a
// request with an answer that is not inspected.
func (p *proxy) deliver(m wire.Message, c *call, line []byte) error {
	p.server.mu.Lock()
	defer p.server.mu.Unlock()
	return p.writeOrWait(parcel{m, wire.Key(m.ID), c, line})
}

// pass writes a message that needs no answer. A server that has ended does not get it.
func (p *proxy) pass(line []byte) error {
	p.server.mu.Lock()
	defer p.server.mu.Unlock()
	return p.writeOrWait(parcel{line: line})
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
	if err == nil && repeats(m.message.Method) {
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
		p.notSent(m.call, carry.Denied, "its server does not run")
	}
	p.answerError(m.key, why)
}
