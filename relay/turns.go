package relay

import (
	"bytes"
	"slices"
	"sync"
	"time"

	"wsi/hook/carry"
	"wsi/hook/ruleset"
	"wsi/internal/jsonraw"
	"wsi/relay/wire"
)

// lanes returns the names of a call's lanes (see [carry.Rule.Lanes]).
func (p *proxy) lanes(c *call) (all []string) {
	call := p.engine.of(c.toolCall)
	for _, s := range p.engine.sets(c.rules, c.owner) {
		known := sync.OnceValue(func() carry.State {
			state, _ := p.engine.vault.Load(s.Harness, s.Session) // without a state, all calls share a lane
			return state
		})
		for i := range s.Rules {
			for _, lane := range s.Rules[i].Lanes(call.For(&s.Rules[i]), known) {
				all = append(all, s.Session+"\x00"+lane)
			}
		}
	}
	return all
}

// hold reports whether a call must wait. If so, hold queues it.
func (p *proxy) hold(c *call, m wire.Message) bool {
	if c.lanes == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.queue.overdue(c, p.patience) {
		c.lanes, c.alone = nil, true
		return false
	}
	c.raw = m.Raw
	now, waits := p.queue.enter(c)
	c.raw = nil
	if !waits {
		if !now { // no room
			c.lanes, c.alone = nil, true
		}
		return false
	}
	c.raw, c.stage = bytes.Clone(m.Raw), held
	c.args = nil // raw has them
	c.timer = time.AfterFunc(p.patience, func() { p.overdue(c) })
	return true
}

// overdue sends a call that has waited too long.
func (p *proxy) overdue(c *call) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.stage != held {
		return
	}
	p.sendHeld(p.leave(c))
	c.alone = true
	p.sendHeld([]*call{c})
}

// sendHeld sends held calls. p.mu must be locked.
func (p *proxy) sendHeld(calls []*call) {
	for _, c := range calls {
		c.timer.Stop()
		c.stage = sending
		p.do(func() {
			m, _ := wire.Parse(c.raw) // it was parsed before
			params, _ := jsonraw.Object(m.Params.Value)
			c.args = p.identity.unmark(arguments(params))
			c.raw = nil
			_ = p.send(c, m) // other code notices that the server has ended
		})
	}
}

// opens reports whether a rule starts a chain with the call's result.
func (p *proxy) opens(c *call) bool {
	call := p.engine.of(c.toolCall)
	return slices.ContainsFunc(p.engine.sets(c.rules, c.owner), func(s ruleset.Set) bool {
		return slices.ContainsFunc(s.Rules, func(r carry.Rule) bool { return r.Note(call.Call).Opens })
	})
}

// leave removes a call from its lanes and returns the calls that can be made now. p.mu must be locked.
func (p *proxy) leave(c *call) (next []*call) {
	next = p.queue.leave(c)
	c.lanes = nil
	return next
}

// release removes a call from its lanes and sends the next ones.
func (p *proxy) release(c *call) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sendHeld(p.leave(c))
}
