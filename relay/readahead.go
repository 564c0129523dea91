package relay

import (
	"io"
	"sync"
)

// ahead keeps reading while earlier messages are forwarded. So EOF from the client is noticed even if the
// server does not read its input.
type ahead struct {
	ended chan struct{} // closed when everything was read, though perhaps not forwarded yet

	mu      sync.Mutex
	changed sync.Cond
	read    []byte // not forwarded yet
	err     error  // after read
}

const (
	aheadChunk = 64 << 10
	maxAhead   = 1 << 20
)

func readAhead(r io.Reader) *ahead {
	a := &ahead{ended: make(chan struct{})}
	a.changed.L = &a.mu
	go a.fill(r)
	return a
}

func (a *ahead) fill(r io.Reader) {
	defer close(a.ended)
	chunk := make([]byte, aheadChunk)
	for {
		n, err := r.Read(chunk)
		a.mu.Lock()
		a.read, a.err = append(a.read, chunk[:n]...), err
		a.changed.Broadcast()
		for len(a.read) > maxAhead && err == nil {
			a.changed.Wait()
		}
		a.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (a *ahead) Read(p []byte) (n int, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for len(a.read) == 0 && a.err == nil {
		a.changed.Wait()
	}
	if len(a.read) == 0 {
		return 0, a.err
	}
	n = copy(p, a.read)
	a.read = append(a.read[:0], a.read[n:]...)
	a.changed.Broadcast()
	return n, nil
}

func isClosed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}
