package doctor

import (
	"sync"

	"wsi/doctor/report"
)

// EventKind is the kind of an Event.
type EventKind int

// The kinds, in their order for a harness.
const (
	Looked EventKind = iota // the harness was looked up: Event.Group, without findings
	Began                   // a check began: Event.Check
	Found                   // a check ended: Event.Check, Event.Finding; the only one about wsi itself
	Ended                   // all checks of the harness have ended: Event.Group
)

// Event is a step of an examination. Each finding is sent once. A check that runs only because another one needs its
// result has no Found event.
type Event struct {
	Kind    EventKind
	Harness string // id; "" = wsi itself
	Check   string // the whole id: "codex.hook.trusted"
	Group   report.Group
	Finding report.Finding
}

// oneByOne serializes the events of harnesses that are examined concurrently.
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
