package relay

import (
	"sync"

	"wsi/hook/journal"
	"wsi/hook/vault"
)

// journalWriter writes the journal and current.token in the background. Its methods may be called
// concurrently.
type journalWriter struct {
	file    journal.File   // without a path, no journal is written
	current *vault.Current // nil without a home

	mu      sync.Mutex
	pending []record
	wake    chan struct{} // something is pending, or over is set
	over    bool
	done    chan struct{} // closed when everything is written
}

// record is an entry of the journal, with the value for current.token, "" for none.
type record struct {
	entry journal.Entry
	value string
}

// maxPending bounds the memory. If more are pending, note writes them itself.
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

// write writes the entries, and of the values only the newest.
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
	_ = c.file.Append(entries...) // the doctor reports a failure
}

// close writes the pending records.
func (c *journalWriter) close() {
	c.mu.Lock()
	c.over = true
	c.call()
	c.mu.Unlock()
	<-c.done
}
