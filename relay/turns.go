package relay

import (
	"slices"
	"sync"
	"time"

	"wsi/hook/carry"
	"wsi/hook/ruleset"
)

// lane is a lane of one rule, with the rule's name; "" for that of a collection.
type lane struct {
	carry.Lane
	rule string
}

// lanes returns a call's lanes (see [carry.Rule.Lanes]). A call that gets a collection waits for those that add to it.
func (p *proxy) lanes(c *call) (all []lane) {
	call := p.engine.of(c.toolCall)
	for _, s := range p.engine.sets(c.rules, c.owner) {
		known := sync.OnceValue(func() carry.State { return p.engine.state(s) })
		for i := range s.Rules {
			for _, l := range s.Rules[i].Lanes(call.For(&s.Rules[i]), known) {
				l.Name = s.Session + "\x00" + l.Name
				all = append(all, lane{l, s.Session + "\x00" + s.Rules[i].Server})
			}
		}
	}
	for i := range c.rules.own {
		if r := &c.rules.own[i]; r.Collects(c.tool) || r.Gathers(c.tool) {
			all = append(all, lane{Lane: carry.Lane{Name: "collection\x00" + r.Name, Needs: r.Gathers(c.tool), Changes: r.Collects(c.tool), May: r.Collects(c.tool)}})
		}
	}
	return all
}

// narrow lets the calls go on that wait for one whose result, as is known now that it is made, changes nothing for them.
func (p *proxy) narrow(c *call) {
	if !c.guessed {
		return
	}
	call := p.engine.of(c.toolCall)
	var moved []string
	for _, s := range p.engine.sets(c.rules, c.owner) {
		state := p.engine.state(s)
		for i := range s.Rules {
			if s.Rules[i].Moves(call.For(&s.Rules[i]), state) {
				moved = append(moved, s.Session+"\x00"+s.Rules[i].Server)
			}
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sendHeld(p.queue.leave(c, func(l lane) bool { return l.rule != "" && !slices.Contains(moved, l.rule) }))
}

// state returns a set's state. Without one, nothing is known.
func (e *engine) state(s ruleset.Set) carry.State {
	state, _ := e.vault.Load(s.Harness, s.Session)
	return state
}

// hold reports whether a call must wait. If so, hold queues it.
func (p *proxy) hold(c *call) bool {
	if c.lanes == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.queue.overdue(c, p.limits.patience) {
		c.lanes, c.alone = nil, true
		return false
	}
	now, waits := p.queue.enter(c)
	if !waits {
		if !now { // no room
			c.lanes, c.alone = nil, true
		}
		return false
	}
	c.stage = held
	c.pause()
	c.timer = time.AfterFunc(p.limits.patience, func() { p.overdue(c) })
	return true
}

// overdue refuses a call that has waited too long, if it needs what it has waited for.
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
		c.resume()
		c.stage = sending
		p.do(func() { _ = p.send(c) }) // other code notices that the server has ended
	}
}

// leave removes a call from its lanes and returns the calls that can be made now. p.mu must be locked.
func (p *proxy) leave(c *call) (next []*call) {
	return p.queue.leave(c, func(lane) bool { return true })
}

// release removes a call from its lanes and sends the next ones.
func (p *proxy) release(c *call) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sendHeld(p.leave(c))
}
