package recorded

import "hash/maphash"

// maxOnce bounds how many calls are remembered. A further one counts as new each time.
const maxOnce = 1 << 20

// Once recognizes calls that were recorded before: a session that was forked or resumed may record them again.
type Once struct {
	seed maphash.Seed
	seen map[uint64]struct{}
}

// NewOnce returns a Once that has seen no call.
func NewOnce() *Once { return &Once{maphash.MakeSeed(), map[uint64]struct{}{}} }

// Again reports whether a harness recorded a call with this id before. A call without an id is always new.
func (o *Once) Again(harness, id string) bool {
	if id == "" {
		return false
	}
	key := maphash.String(o.seed, harness+"\x00"+id)
	if _, seen := o.seen[key]; seen {
		return true
	}
	if len(o.seen) < maxOnce {
		o.seen[key] = struct{}{}
	}
	return false
}
