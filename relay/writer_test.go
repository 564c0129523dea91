package relay

import (
	"errors"
	"testing"
)

func TestNothingIsWrittenAfterAnError(t *testing.T) {
	w := &broken{}
	s := &messageWriter{w: w}
	for range 3 {
		if err := s.write([]byte("a")); w.n > 1 && !errors.Is(err, errBroken) {
			t.Error(err)
		}
	}
	if w.n != 2 {
		t.Errorf("it was written to %d times", w.n)
	}
}

var errBroken = errors.New("broken")

// broken takes one message.
type broken struct{ n int }

func (b *broken) Write(p []byte) (int, error) {
	if b.n++; b.n > 1 {
		return 0, errBroken
	}
	return len(p), nil
}
