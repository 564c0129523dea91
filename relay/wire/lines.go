// Package wire reads MCP's stdio transport, one JSON-RPC message on each line, and changes parts of messages
// without changing the other bytes.
//
// It must not know tools, values, or what the client and the server are.
package wire

import (
	"bytes"
	"io"
)

const (
	// MaxMessage is the maximum size of a message that is read whole. A longer one is returned in pieces.
	MaxMessage = 64 << 20
	readSize   = 256 << 10
	keepBuffer = 4 << 20 // a larger buffer is freed after its message
	maxEmpty   = 100     // consecutive reads without data
)

// Kind says which part of a line Next has returned.
type Kind int

// The kinds of parts. Half is the text before the end of the stream without a line end, and may be empty.
const (
	Whole Kind = iota // a line with its end
	Piece             // a piece of a line that is too long; more follows
	Last              // the last piece of such a line
	Half
)

// Lines reads lines. Its memory is bounded by MaxMessage. A line is not copied: it is a part of the buffer.
type Lines struct {
	r       io.Reader
	buf     []byte
	at, end int // the part of buf that was read and not returned yet
	max     int
	long    bool  // within a line that is too long
	err     error // of the last read
}

// NewLines returns a reader of the lines of r.
func NewLines(r io.Reader) *Lines {
	return &Lines{r: r, buf: make([]byte, readSize), max: MaxMessage}
}

// Next returns the next line, or piece of one. The bytes are valid until the next call. After an error, io.EOF
// at the end, the line may still hold bytes.
func (l *Lines) Next() (line []byte, kind Kind, err error) {
	seen := 0 // of the line
	for {
		if i := bytes.IndexByte(l.buf[l.at+seen:l.end], '\n'); i >= 0 {
			kind = Whole
			if l.long {
				kind, l.long = Last, false
			}
			return l.take(seen + i + 1), kind, nil
		}
		seen = l.end - l.at
		switch {
		case l.err != nil:
			kind = Half
			if l.long {
				kind = Last
			}
			return l.take(seen), kind, l.err
		case l.long && seen >= readSize, seen > l.max:
			l.long = true
			return l.take(seen), Piece, nil
		}
		l.read()
	}
}

// take returns the next n bytes, to which nothing can be appended.
func (l *Lines) take(n int) []byte {
	l.at += n
	return l.buf[l.at-n : l.at : l.at]
}

// read makes room in the buffer, overwriting returned lines, and reads more.
func (l *Lines) read() {
	rest := l.buf[l.at:l.end]
	switch {
	case len(l.buf) > keepBuffer && len(rest) < readSize:
		l.buf = make([]byte, readSize)
	case len(rest) == len(l.buf):
		l.buf = make([]byte, min(2*len(l.buf), l.max+readSize))
	case len(rest) > 0 && l.end < len(l.buf):
		rest = nil // enough room without moving it
	}
	if rest != nil {
		l.at, l.end = 0, copy(l.buf, rest)
	}
	for range maxEmpty {
		n, err := l.r.Read(l.buf[l.end:])
		l.end += n
		l.err = err
		if n > 0 || err != nil {
			return
		}
	}
	l.err = io.ErrNoProgress
}
