package relay

import (
	"sync"

	"wsi/hook/journal"
	"wsi/hook/vault"
)

// journalWriter writes down what nobody waits for: the journal, and the value's second place, which is for people.
// Its methods may be called by several goroutines at once.
type journalWriter struct {
	file    journal.File   // its path is "" where none is kept
	current *vault.Current // nil without a home

	mu      sync.Mutex
	pending []record
	wake    chan struct{} // something is pending, or it is over
	over    bool
	done    chan struct{} // everything is written
}

// record is a line of the journal, with the value that belongs into the second place, "" for none.
type record struct {
	entry journal.Entry
	value string
}

// maxPending bounds the memory: whoever has more to be written down waits.
const maxPending = 1024

func newJournalWriter(file journal.File, current *vault.Current) *journalWriter {
	c := &journalWriter{file: file, current: current, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go c.work()
	return c
}

func (c *journalWriter) note(r record) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending = append(c.pending, r)
	if c.over || len(c.pending) >= maxPending {
		c.write(c.pending)
		c.pending = c.pending[:0]
		return
	}
	c.call()
}

func (c *journalWriter) call() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

func (c *journalWriter) work() {
	defer close(c.done)
	for range c.wake {
		c.mu.Lock()
		all, over := c.pending, c.over
		c.pending = nil
		c.mu.Unlock()
		c.write(all)
		if over {
			return
		}
	}
}

// write keeps the newest value only: nobody has seen those between.
func (c *journalWriter) write(all []record) {
	newest := true
	for i := len(all) - 1; i >= 0 && newest; i-- {
		if all[i].value == "" || c.current == nil {
			continue
		}
		newest = false
		if err := c.current.Save(all[i].value); err != nil && all[i].entry.Why == "" {
			all[i].entry.Why = err.Error()
		}
	}
	if c.file.Path == "" || len(all) == 0 {
		return
	}
	entries := make([]journal.Entry, len(all))
	for i := range all {
		entries[i] = all[i].entry
	}
	_ = c.file.Append(entries...) // a failure is no reason to disturb anybody; the doctor finds it
}

// close writes the rest.
func (c *journalWriter) close() {
	c.mu.Lock()
	c.over = true
	c.call()
	c.mu.Unlock()
	<-c.done
}
