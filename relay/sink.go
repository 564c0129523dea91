package relay

import (
	"io"
	"sync"

	"wsi/relay/wire"
)

// sink writes messages, one at a time.
type sink struct {
	mu   sync.Mutex
	w    io.Writer
	dead error // the first error: nothing is written any more

	whole bool // it takes whole messages only: one that is too long is lost

	lost   func(id []byte) // of requests that are lost
	pieces wire.Pieces     // of the message that is being lost
}

func (s *sink) write(line []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.put(line)
}

// put is write with s.mu locked.
func (s *sink) put(line []byte) error {
	if s.dead == nil && len(line) > 0 {
		_, s.dead = s.w.Write(line)
	}
	return s.dead
}

// part is put for a piece of a message that is too long.
func (s *sink) part(piece []byte, last bool) error {
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
