package relay

import "slices"

// queue lets one call at a time into each lane, in the order in which they came. It is not for several
// goroutines at once.
type queue struct {
	lanes map[string]*lane
	held  int // calls that wait
	bytes int // of their messages
}

type lane struct {
	running *call
	waiting []*call
}

// Bounds of what waits. A call beyond them is made at once, as it would be without wsi.
const (
	maxHeld      = 1024
	maxHeldBytes = 128 << 20
)

// enter returns whether the call can be made now; else it waits, if there is room.
func (q *queue) enter(c *call) (now, waits bool) {
	if q.lanes == nil {
		q.lanes = map[string]*lane{}
	}
	l := q.lanes[c.lane]
	switch {
	case l == nil:
		q.lanes[c.lane] = &lane{running: c}
		return true, false
	case q.held >= maxHeld || q.bytes+len(c.raw) > maxHeldBytes:
		return false, false
	}
	l.waiting = append(l.waiting, c)
	q.held++
	q.bytes += len(c.raw)
	return false, true
}

// leave is for a call that is in its lane no longer, or waits no more. It returns the call whose turn it is
// now, nil if there is none.
func (q *queue) leave(c *call) (next *call) {
	l := q.lanes[c.lane]
	if l == nil {
		return nil
	}
	if l.running != c {
		if i := slices.Index(l.waiting, c); i >= 0 {
			l.waiting = slices.Delete(l.waiting, i, i+1)
			q.gone(c)
		}
		return nil
	}
	if len(l.waiting) == 0 {
		delete(q.lanes, c.lane)
		return nil
	}
	next = l.waiting[0]
	l.waiting = slices.Delete(l.waiting, 0, 1)
	l.running = next
	q.gone(next)
	return next
}

func (q *queue) gone(c *call) {
	q.held--
	q.bytes -= len(c.raw)
}
