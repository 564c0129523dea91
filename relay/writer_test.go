package relay

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// turns counts how often it is written to.
type turns struct {
	bytes.Buffer
	n int
}

func (t *turns) Write(p []byte) (int, error) {
	t.n++
	return t.Buffer.Write(p)
}

func TestPieces(t *testing.T) {
	big := strings.Repeat("x", 1<<20)
	for _, c := range []struct {
		pieces     []string
		parts, all int // the number of writes, and for a writer of whole messages only
	}{
		{[]string{"a"}, 1, 1},
		{[]string{"a", "", "b\n"}, 1, 1},
		{[]string{"", ""}, 0, 0},
		{[]string{"a", "b", big, "c", "d"}, 3, 1},
		{[]string{big}, 1, 1},
	} {
		var pieces [][]byte
		for _, p := range c.pieces {
			pieces = append(pieces, []byte(p))
		}
		for whole, want := range map[bool]int{false: c.parts, true: c.all} {
			var w turns
			s := &messageWriter{w: &w, whole: whole}
			if err := s.write(pieces...); err != nil {
				t.Error(err)
			}
			if w.String() != strings.Join(c.pieces, "") || w.n != want {
				t.Errorf("%.20q: %d bytes in %d turns, want %d", c.pieces, w.Len(), w.n, want)
			}
		}
	}
}

func TestNothingIsWrittenAfterAnError(t *testing.T) {
	w := &broken{}
	s := &messageWriter{w: w}
	big := make([]byte, 1<<20)
	for range 2 {
		if err := s.write([]byte("a"), big, big); !errors.Is(err, errBroken) {
			t.Error(err)
		}
	}
	if w.n != 2 {
		t.Errorf("it was written to %d times", w.n)
	}
}

var errBroken = errors.New("broken")

// broken takes one piece.
type broken struct{ n int }

func (b *broken) Write(p []byte) (int, error) {
	if b.n++; b.n > 1 {
		return 0, errBroken
	}
	return len(p), nil
}
