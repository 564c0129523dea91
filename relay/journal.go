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

// maxPending bounds the memory. If more are pending, add writes them itself.
const maxPending = 1024

func newJournalWriter(file journal.File, current *vault.Current) *journalWriter {
	w := &journalWriter{file: file, current: current, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go w.work()
	return w
}

func (w *journalWriter) add(r record) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending = append(w.pending, r)
	if w.over || len(w.pending) >= maxPending {
		w.write(w.pending)
		w.pending = w.pending[:0]
		return
	}
	w.signal()
}

func (w *journalWriter) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

func (w *journalWriter) work() {
	defer close(w.done)
	for range w.wake {
		w.mu.Lock()
		all, over := w.pending, w.over
		w.pending = nil
		w.mu.Unlock()
		w.write(all)
		if over {
			return
		}
	}
}

// write writes the entries, and of the values only the newest.
func (w *journalWriter) write(all []record) {
	newest := true
	for i := len(all) - 1; i >= 0 && newest; i-- {
		if all[i].value == "" || w.current == nil {
			continue
		}
		newest = false
		if err := w.current.Save(all[i].value); err != nil && all[i].entry.Why == "" {
			all[i].entry.Why = err.Error()
		}
	}
	if w.file.Path == "" || len(all) == 0 {
		return
	}
	entries := make([]journal.Entry, len(all))
	for i := range all {
		entries[i] = all[i].entry
	}
	_ = w.file.Append(entries...) // the doctor reports a failure
}

// close writes the pending records.
func (w *journalWriter) close() {
	w.mu.Lock()
	w.over = true
	w.signal()
	w.mu.Unlock()
	<-w.done
}
