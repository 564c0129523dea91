package relay

import (
	"io"
	"sync"
)

// sink writes messages, one at a time.
type sink struct {
	mu   sync.Mutex
	w    io.Writer
	dead error // the first error: nothing is written any more

	whole bool // it takes whole messages only: one that is too long is lost
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
