package relay

import (
	"time"
)

// deliver writes a request to the server, and starts the server first if it has ended. If the server ends at that moment and has
// not got the request, the next process gets it. c is nil for a request with an answer that is not inspected.
func (p *proxy) deliver(key string, c *call, line []byte) error {
	for {
		again, err := p.try(key, c, line)
		if again == nil {
			return err
		}
		<-again
	}
}

// try writes a request. A request counts as open from the moment when it is written. If the server has ended and got nothing of
// it, again is closed once the server's other requests have their errors.
func (p *proxy) try(key string, c *call, line []byte) (again <-chan struct{}, err error) {
	p.server.mu.Lock()
	defer p.server.mu.Unlock()
	var to *process
	if p.upstream != nil {
		if to, err = p.upstream.up(); err != nil {
			p.giveBack(key, c, err.Error())
			return nil, nil
		}
	}
	if !p.open(key, c) {
		return nil, nil
	}
	err = p.server.put(line)
	if err == nil || to == nil || p.upstream.opt.NoRestart {
		return nil, err
	}
	go to.retire(p.upstream.grace) // if it has not ended, it has closed its stdin
	if p.server.wrote > 0 {        // what became of it is not known, so it gets an error with the others
		return nil, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if c == nil {
		delete(p.passing, key)
	} else if c.stage == running {
		c.stage = sending
	}
	return to.settled, nil
}

// open records that a request is being written. It returns false if the call was cancelled before. A later cancellation is
// forwarded.
func (p *proxy) open(key string, c *call) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case c == nil:
		if len(p.passing) < maxCalls {
			p.passing[key] = true
		}
	case c.stage == dropped:
		return false
	case c.list:
		c.stage = running
	default:
		c.stage, c.since = running, time.Now()
	}
	return true
}

// giveBack answers a request that cannot be written.
func (p *proxy) giveBack(key string, c *call, why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c != nil {
		if c.stage == dropped {
			return
		}
		p.forget(c)
	}
	p.answerError(key, why)
}

// pass writes a message that needs no answer. A server that has ended does not get it.
func (p *proxy) pass(line []byte) error {
	p.server.mu.Lock()
	defer p.server.mu.Unlock()
	if p.upstream != nil && p.upstream.now.Load() == nil {
		return nil
	}
	return p.put(line)
}

// put writes to the running server. The end of one that can be started again is noticed elsewhere. p.server.mu must be locked.
func (p *proxy) put(line []byte) error {
	err := p.server.put(line)
	if p.upstream != nil && !p.upstream.opt.NoRestart {
		return nil
	}
	return err
}
