package relay

import (
	"io"
	"sync"
)

// messageWriter writes messages, one at a time.
type messageWriter struct {
	mu    sync.Mutex
	w     io.Writer
	dead  error // the first error; after it nothing is written
	wrote int   // bytes of the last message
}

func (w *messageWriter) write(line []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.put(line)
}

// put is write with w.mu locked.
func (w *messageWriter) put(line []byte) error {
	w.wrote = 0
	if len(line) > 0 && w.dead == nil {
		w.wrote, w.dead = w.w.Write(line)
	}
	return w.dead
}
