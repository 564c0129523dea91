package relay

import (
	"sync"

	"wsi/hook/journal"
	"wsi/hook/vault"
)

// journalWriter writes in the background what a call need not wait for: the journal and current.token.
// Its methods may be called concurrently.
type journalWriter struct {
	file    journal.File   // without a path, no journal is written
	current *vault.Current // nil without a home

	mu      sync.Mutex
	pending chan record // not written yet; add waits if it is full
	over    bool
	done    chan struct{} // closed when everything is written
}

// record is an entry of the journal, with the value for current.token, "" for none.
type record struct {
	entry journal.Entry
	value string
}

func newJournalWriter(file journal.File, current *vault.Current) *journalWriter {
	w := &journalWriter{file: file, current: current, pending: make(chan record, 1024), done: make(chan struct{})}
	go w.work()
	return w
}

func (w *journalWriter) add(r record) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		w.write([]record{r})
		return
	}
	w.pending <- r
}

func (w *journalWriter) work() {
	defer close(w.done)
	for r := range w.pending {
		all := []record{r}
		for len(w.pending) > 0 {
			all = append(all, <-w.pending)
		}
		w.write(all)
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
	if w.file.Path == "" {
		return
	}
	entries := make([]journal.Entry, len(all))
	for i := range all {
		entries[i] = all[i].entry
	}
	_ = w.file.Append(entries...) // the doctor reports a failure
}

func (w *journalWriter) close() {
	w.mu.Lock()
	w.over = true
	close(w.pending)
	w.mu.Unlock()
	<-w.done
}
