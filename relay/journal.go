package relay

import (
	"sync"
	"time"

	"wsi/hook/journal"
	"wsi/hook/vault"
)

// journalWriter writes in the background what a call need not wait for: the journal, current.token, and the sessions' files.
// Its methods may be called concurrently.
type journalWriter struct {
	file    journal.File   // without a path, no journal is written
	current *vault.Current // nil without a home
	vault   vault.Vault

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

func newJournalWriter(file journal.File, current *vault.Current, v vault.Vault) *journalWriter {
	w := &journalWriter{file: file, current: current, vault: v, pending: make(chan record, 1024), done: make(chan struct{})}
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

const (
	gather     = 20 * time.Millisecond // for so long, what follows is gathered and written at once
	flushEvery = time.Second
)

func (w *journalWriter) work() {
	defer close(w.done)
	var flush <-chan time.Time
	var flushed time.Time
	for {
		select {
		case r, ok := <-w.pending:
			if !ok {
				_ = w.vault.Flush() // any wsi but an older one finds the values without it
				return
			}
			all := []record{r}
			for len(w.pending) > 0 {
				all = append(all, <-w.pending)
			}
			w.write(all)
			if flush == nil {
				flush = time.After(time.Until(flushed.Add(flushEvery)))
			}
			time.Sleep(gather)
		case flushed = <-flush:
			flush = nil
			_ = w.vault.Flush() // as above
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
