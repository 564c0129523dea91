package relay

import (
	"slices"
	"time"
)

// queue orders the calls in each lane. A call may be made when it is the first in all of its lanes. Its
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
	now = !slices.ContainsFunc(c.lanes, func(lane string) bool { return len(q.lanes[lane]) > 0 })
	if !now && (q.held >= maxHeld || q.bytes+len(c.raw) > maxHeldBytes) {
		return false, false
	}
	for _, lane := range c.lanes {
		q.lanes[lane] = append(q.lanes[lane], c)
	}
	if !now {
		c.waits = true
		q.held++
		q.bytes += len(c.raw)
	}
	return now, !now
}

// overdue reports whether a call would have to wait for one that has run for longer than patience.
func (q *queue) overdue(c *call, patience time.Duration) bool {
	return slices.ContainsFunc(c.lanes, func(lane string) bool {
		all := q.lanes[lane]
		return len(all) > 0 && all[0].stage == running && time.Since(all[0].since) > patience
	})
}

// leave removes a call from its lanes. It returns the calls that can be made now.
func (q *queue) leave(c *call) (next []*call) {
	q.gone(c)
	for _, lane := range c.lanes {
		rest := slices.DeleteFunc(q.lanes[lane], func(o *call) bool { return o == c })
		if q.lanes[lane] = rest; len(rest) == 0 {
			delete(q.lanes, lane)
		}
	}
	for _, lane := range c.lanes {
		if rest := q.lanes[lane]; len(rest) > 0 && rest[0].waits && q.first(rest[0]) {
			q.gone(rest[0])
			next = append(next, rest[0])
		}
	}
	return next
}

func (q *queue) first(c *call) bool {
	return !slices.ContainsFunc(c.lanes, func(lane string) bool { return q.lanes[lane][0] != c })
}

func (q *queue) gone(c *call) {
	if !c.waits {
		return
	}
	c.waits = false
	q.held--
	q.bytes -= len(c.raw)
}
