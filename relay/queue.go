package relay

import (
	"slices"
	"sync"
	"time"

	"wsi/hook/carry"
)

// queue orders the calls in each lane. A call waits while an earlier one in a lane may change what it needs. Its
// methods must not be called concurrently.
type queue struct {
	lanes map[string][]*call
	held  int // calls that wait
	bytes int // of their messages
}

// Limits for waiting calls. A call beyond them is made at once.
const (
	maxHeld      = 1024
	maxHeldBytes = 128 << 20
)

// enter reports whether the call can be made now. Otherwise it waits, if there is room.
func (q *queue) enter(c *call) (now, waits bool) {
	if q.lanes == nil {
		q.lanes = map[string][]*call{}
	}
	now = q.isFree(c)
	if !now && (q.held >= maxHeld || q.bytes+len(c.message.Raw) > maxHeldBytes) {
		return false, false
	}
	for i, lane := range c.lanes {
		if !lane.Changes && lane.May && q.changes(lane.Name, c) != nil {
			c.lanes[i].Changes, c.guessed = true, true
		}
		q.lanes[lane.Name] = append(q.lanes[lane.Name], c)
	}
	if !now {
		c.waits = true
		q.held++
		q.bytes += len(c.message.Raw)
	}
	return now, !now
}

// changes returns the first call ahead of c in a lane that may change its value, nil if there is none.
func (q *queue) changes(name string, c *call) *call {
	for _, o := range q.lanes[name] {
		if o == c {
			break
		}
		if slices.ContainsFunc(o.lanes, func(l lane) bool { return l.Name == name && l.Changes }) {
			return o
		}
	}
	return nil
}

func (q *queue) isFree(c *call) bool {
	return !slices.ContainsFunc(c.lanes, func(l lane) bool { return l.Needs && q.changes(l.Name, c) != nil })
}

// overdue reports whether a call would have to wait for one that has run for longer than patience.
func (q *queue) overdue(c *call, patience time.Duration) bool {
	return slices.ContainsFunc(c.lanes, func(l lane) bool {
		o := q.changes(l.Name, c)
		return l.Needs && o != nil && o.stage == running && time.Since(o.since) > patience
	})
}

// leave removes a call from some of its lanes. It returns the calls that can be made now.
func (q *queue) leave(c *call, some func(lane) bool) (next []*call) {
	q.gone(c)
	var left []string
	c.lanes = slices.DeleteFunc(c.lanes, func(l lane) bool {
		if !some(l) {
			return false
		}
		rest := slices.DeleteFunc(q.lanes[l.Name], func(o *call) bool { return o == c })
		if q.lanes[l.Name] = rest; len(rest) == 0 {
			delete(q.lanes, l.Name)
		}
		left = append(left, l.Name)
		return true
	})
	for _, name := range left {
		for _, o := range q.lanes[name] {
			if o.waits && q.isFree(o) {
				q.gone(o)
				next = append(next, o)
			}
		}
	}
	return next
}

func (q *queue) gone(c *call) {
	if !c.waits {
		return
	}
	c.waits = false
	q.held--
	q.bytes -= len(c.message.Raw)
}

// lane is a lane of one rule, with the rule's name; "" for that of a collection.
type lane struct {
	carry.Lane
	rule string
}

// lanes returns a call's lanes (see [carry.Rule.Lanes]). A call that gets a collection waits for those that add to it.
func (p *proxy) lanes(c *call) (all []lane) {
	call := p.engine.of(c.toolCall)
	for _, s := range p.engine.sets(c.rules, c.owner) {
		known := sync.OnceValue(func() carry.State {
			state, _ := p.engine.vault.Load(s.Harness, s.Session) // without one, nothing is known
			return state
		})
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
		state, _ := p.engine.vault.Load(s.Harness, s.Session) // without one, nothing is known
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
	p.leave(c)
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

// leave removes a call from its lanes and sends the next ones. p.mu must be locked.
func (p *proxy) leave(c *call) { p.sendHeld(p.queue.leave(c, func(lane) bool { return true })) }

// release is leave without p.mu.
func (p *proxy) release(c *call) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leave(c)
}
