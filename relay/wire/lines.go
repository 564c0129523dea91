// Package wire reads MCP's stdio transport, one JSON-RPC message on each line, and changes messages in
// place: what is not changed keeps its bytes.
//
// It must not know tools, values, or who is at either end.
package wire

import (
	"bufio"
	"errors"
	"io"
)

const (
	// MaxMessage is the size up to which a message is read whole. What is longer passes in pieces, unread.
	MaxMessage = 64 << 20
	readSize   = 256 << 10
	keepBuffer = 4 << 20 // a larger one is given back after its message
)

// Kind is how much of a line a read has returned.
type Kind int

// The kinds of reads. Half is what stood before the end of the stream without a line's end, and may be empty.
const (
	Whole Kind = iota // a line with its end
	Piece             // of a line that is too long; more of it follows
	Last              // the last piece of such a line
	Half
)

// Lines reads lines. Its memory does not grow with their number, nor beyond MaxMessage with their length.
type Lines struct {
	r    *bufio.Reader
	buf  []byte
	max  int
	long bool // within a line that is too long
}

// NewLines returns a reader of the lines of r.
func NewLines(r io.Reader) *Lines {
	return &Lines{r: bufio.NewReaderSize(r, readSize), max: MaxMessage}
}

// Next returns the next line, or piece of one. The bytes are valid until the next call. After an error,
// io.EOF at the end, the line may still hold bytes.
func (l *Lines) Next() (line []byte, kind Kind, err error) {
	if cap(l.buf) > keepBuffer {
		l.buf = nil
	}
	l.buf = l.buf[:0]
	for {
		part, err := l.r.ReadSlice('\n')
		full := errors.Is(err, bufio.ErrBufferFull)
		switch {
		case l.long && full:
			return part, Piece, nil
		case l.long:
			l.long = false
			return part, Last, err
		case err == nil && len(l.buf) == 0:
			return part, Whole, nil
		}
		l.buf = append(l.buf, part...)
		switch {
		case err == nil:
			return l.buf, Whole, nil
		case !full:
			return l.buf, Half, err
		case len(l.buf) > l.max:
			l.long = true
			return l.buf, Piece, nil
		}
	}
}
