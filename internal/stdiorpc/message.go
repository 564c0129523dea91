package stdiorpc

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"wsi/internal/procgroup"
)

// sent is a message to the program: a request, a notification or an answer.
type sent struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// message is one of the program.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  *Error          `json:"error"`
}

// Error is a JSON-RPC error response. Its message is redacted; see [lastwords.Redact].
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
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
	defer close(c.answers)
	c.readErr = eachLine(r, maxLine, maxTotal, func(line []byte) {
		var m message
		if json.Unmarshal(line, &m) != nil {
			return
		}
		select {
		case c.answers <- m:
		case <-c.over:
		}
	})
	if !errors.Is(c.readErr, io.EOF) {
		procgroup.Kill(c.cmd)
	}
}

// eachLine calls found with each line of a stream, which is valid until the next. It returns why it ends: [io.EOF] or an
// error. The last line needs no newline.
func eachLine(r io.Reader, maxLine, maxTotal int, found func(line []byte)) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine+1)
	for lines.Scan() {
		if maxTotal -= len(lines.Bytes()) + perLine; maxTotal < 0 {
			return ErrTooMuch
		}
		found(lines.Bytes())
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return ErrTooLong
	case err != nil:
		return err
	}
	return io.EOF
}
