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

	whole bool // only whole messages can be written, so one that is too long is lost

	lost   func(id []byte) // called for each request that is lost
	pieces wire.Pieces     // of the message that is being lost
}

// write writes one message, given in one piece or more.
func (s *messageWriter) write(pieces ...[]byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.put(pieces...)
}

// put is write with s.mu locked. It joins small pieces, because a write costs more than copying.
func (s *messageWriter) put(pieces ...[]byte) error {
	const small = 64 << 10
	for len(pieces) > 0 && s.dead == nil {
		n, size := 1, len(pieces[0])
		for n < len(pieces) && (s.whole || size+len(pieces[n]) <= small) {
			size += len(pieces[n])
			n++
		}
		piece := pieces[0]
		if n > 1 {
			piece = slices.Concat(pieces[:n]...)
		}
		if pieces = pieces[n:]; len(piece) > 0 {
			_, s.dead = s.w.Write(piece)
		}
	}
	return s.dead
}

// part writes a piece of a message that is too long. s.mu must be locked.
func (s *messageWriter) part(piece []byte, last bool) error {
	if !s.whole {
		return s.put(piece)
	}
	s.pieces.Add(piece)
	if last {
		if id := s.pieces.Request(); id != nil {
			s.lost(id)
		}
		s.pieces = wire.Pieces{}
	}
	return nil
}
