package stdiorpc

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"wsi/internal/procgroup"
)

const version = "2.0"

type request struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method"`
	Params  any             `json:"params,omitempty"`
}

type answer struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *fault          `json:"error,omitempty"`
}

type fault struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// message is anything that a program says.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  *fault          `json:"error"`
}

// Refusal is the answer of a program that will not say. Its message has no secrets.
type Refusal struct {
	Code    int
	Message string
}

func (r Refusal) Error() string { return fmt.Sprintf("error %d: %s", r.Code, r.Message) }

// MethodNotFound is the code of a Refusal by a program that does not know the question.
const MethodNotFound = -32601

// What a program may say at most; the largest known list of tools has 1 MB. A line counts as its bytes
// and some more, for each costs time.
const (
	longest = 16 << 20
	most    = 64 << 20
	perLine = 100
)

// The errors for a program that says too much.
var (
	ErrTooLong = errors.New("it printed a line of more than 16 MB")
	ErrTooMuch = errors.New("it printed more than 64 MB, or as much in short lines")
)

// listen reads messages until there are no more, or nobody wants them any more. A line that is none
// is passed over, as Claude Code, Codex and OpenCode do.
func (t *Talk) listen(r io.Reader) {
	lines := lineReader{bufio.NewReader(r), longest, most}
	defer close(t.answers)
	for {
		line, err := lines.next()
		if err != nil {
			t.readErr = err
			break
		}
		var m message
		if json.Unmarshal(line, &m) != nil {
			continue
		}
		select {
		case t.answers <- m:
		case <-t.over:
		}
	}
	if !errors.Is(t.readErr, io.EOF) {
		procgroup.Kill(t.cmd)
	}
}

// lineReader cuts a stream into lines.
type lineReader struct {
	r             *bufio.Reader
	longest, left int
}

// next returns a line without its end; it is valid until the next call. What comes after the last
// newline is a line, too.
func (l *lineReader) next() (line []byte, err error) {
	for {
		part, err := l.r.ReadSlice('\n')
		l.left -= len(part)
		if err == nil {
			l.left -= perLine
		}
		switch {
		case l.left < 0:
			return nil, ErrTooMuch
		case len(line)+len(part) > l.longest+1:
			return nil, ErrTooLong
		case errors.Is(err, bufio.ErrBufferFull):
			line = append(line, part...)
			continue
		case err != nil && (len(line)+len(part) == 0 || !errors.Is(err, io.EOF)):
			return nil, err
		}
		line = append(line, part...)
		if n := len(line); n > 0 && line[n-1] == '\n' {
			line = line[:n-1]
		}
		if len(line) > l.longest {
			return nil, ErrTooLong
		}
		return line, nil
	}
}
