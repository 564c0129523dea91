package relay

import (
	"slices"
	"time"
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
