package relay

import (
	"io"
	"slices"
	"sync"

	"wsi/relay/wire"
)

// messageWriter writes messages, one at a time.
type messageWriter struct {
	mu   sync.Mutex
	w    io.Writer
	dead error // the first error; after it nothing is written

	wrote int // bytes of the last message

	whole bool // only whole messages can be written, so one that is too long is lost

	lost func(id []byte) // called for each request that is lost
	ends wire.Ends       // of the message that is being lost
}

func (w *messageWriter) write(pieces ...[]byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.put(pieces...)
}

// put is write with w.mu locked. It joins small pieces, because a write costs more than copying.
func (w *messageWriter) put(pieces ...[]byte) error {
	const small = 64 << 10
	w.wrote = 0
	for len(pieces) > 0 && w.dead == nil {
		n, size := 1, len(pieces[0])
		for n < len(pieces) && (w.whole || size+len(pieces[n]) <= small) {
			size += len(pieces[n])
			n++
		}
		piece := pieces[0]
		if n > 1 {
			piece = slices.Concat(pieces[:n]...)
		}
		if pieces = pieces[n:]; len(piece) > 0 {
			n, w.dead = w.w.Write(piece)
			w.wrote += n
		}
	}
	return w.dead
}

// part writes a piece of a message that is too long. Nothing else is written between its first piece and its last.
func (w *messageWriter) part(piece []byte, first, last bool) (err error) {
	if first {
		w.mu.Lock()
	}
	if !w.whole {
		err = w.put(piece)
	} else if w.ends.Add(piece); last {
		if id := w.ends.Request(); id != nil {
			w.lost(id)
		}
		w.ends = wire.Ends{}
	}
	if last || err != nil {
		w.mu.Unlock()
	}
	return err
}
