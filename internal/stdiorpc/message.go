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

// message is a request, a notification or a response of the program.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  *fault          `json:"error"`
}

// Error is a JSON-RPC error response. Its message is redacted; see [Redact].
type Error struct {
	Code    int
	Message string
}

func (e Error) Error() string { return fmt.Sprintf("error %d: %s", e.Code, e.Message) }

// MethodNotFound is the code of an [Error] for a method that the program does not have.
const MethodNotFound = -32601

// The limits for the output of a program. The largest known list of tools has 1 MB. Each line counts perLine bytes
// more than it has, because parsing it takes time.
const (
	maxLine  = 16 << 20
	maxTotal = 64 << 20
	perLine  = 100
)

// The errors of a program that prints too much.
var (
	ErrTooLong = errors.New("it printed a line of more than 16 MB")
	ErrTooMuch = errors.New("it printed more than 64 MB, or as much in short lines")
)

// listen reads messages until EOF or an error. It ignores lines that are not messages, as Claude Code, Codex and
// OpenCode do. After Close it discards messages.
func (c *Client) listen(r io.Reader) {
	lines := lineReader{bufio.NewReader(r), maxLine, maxTotal}
	defer close(c.answers)
	for {
		line, err := lines.next()
		if err != nil {
			c.readErr = err
			break
		}
		var m message
		if json.Unmarshal(line, &m) != nil {
			continue
		}
		select {
		case c.answers <- m:
		case <-c.over:
		}
	}
	if !errors.Is(c.readErr, io.EOF) {
		procgroup.Kill(c.cmd)
	}
}

// lineReader splits a stream into lines.
type lineReader struct {
	r             *bufio.Reader
	maxLine, left int
}

// next returns the next line without its newline. The line is valid until the next call. The last line needs no
// newline.
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
		case len(line)+len(part) > l.maxLine+1:
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
		if len(line) > l.maxLine {
			return nil, ErrTooLong
		}
		return line, nil
	}
}
