package doctor

import (
	"sync"

	"wsi/doctor/report"
)

// EventKind is what an Event is about.
type EventKind int

// The kinds, in the order in which they come for a harness.
const (
	Looked EventKind = iota // the harness was looked up: Event.Group, without findings
	Began                   // a check began: Event.Check
	Found                   // a check ended: Event.Check, Event.Finding; the only one about wsi itself
	Ended                   // all checks of the harness have ended: Event.Group
)

// Event is a step of an examination. What a check found is told once; a check that began and is not
// wanted (Options.Only) ends without a word.
type Event struct {
	Kind    EventKind
	Harness string // id; "" = wsi itself
	Check   string // the whole id: "codex.hook.trusted"
	Group   report.Group
	Finding report.Finding
}

// oneByOne lets harnesses that are examined at the same time speak one after the other.
func oneByOne(watch func(Event)) func(Event) {
	if watch == nil {
		return func(Event) {}
	}
	var mu sync.Mutex
	return func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		watch(e)
	}
}
