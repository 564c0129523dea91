// Package wire reads MCP's stdio transport, one JSON-RPC message on each line, and changes parts of messages
// without changing the other bytes.
//
// It must not know tools, values, or what the client and the server are.
package wire

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

const (
	// MaxMessage is how many bytes a message may have. A text in Node cannot have more than twice as many.
	MaxMessage = 256 << 20
	readSize   = 256 << 10
	keepBuffer = 4 << 20 // a larger buffer is freed after its message
)

// ErrTooLong is returned for a message of more than MaxMessage bytes.
var ErrTooLong = fmt.Errorf("a message is larger than %d MiB", MaxMessage>>20)

// Lines reads lines.
type Lines struct {
	r    *bufio.Reader
	long []byte // the last line that did not fit into the buffer of r
	max  int
}

// NewLines returns a reader of the lines of r.
func NewLines(r io.Reader) *Lines {
	return &Lines{r: bufio.NewReaderSize(r, readSize), max: MaxMessage}
}

// Next returns the next line with its end, to which nothing can be appended in place. The bytes are valid until the next call.
// With an error, io.EOF at the end, it returns what follows the last line end. After [ErrTooLong] nothing more can be read.
func (l *Lines) Next() (line []byte, err error) {
	if cap(l.long) > keepBuffer {
		l.long = nil
	}
	line, err = l.r.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line[:len(line):len(line)], err
	}
	l.long = append(l.long[:0], line...)
	for errors.Is(err, bufio.ErrBufferFull) {
		if len(l.long) > l.max {
			return nil, ErrTooLong
		}
		line, err = l.r.ReadSlice('\n')
		l.long = append(l.long, line...)
	}
	return l.long[:len(l.long):len(l.long)], err
}
