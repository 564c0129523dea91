// Package wire reads MCP's stdio transport, one JSON-RPC message on each line, and changes parts of messages
// without changing the other bytes.
//
// It must not know tools, values, or what the client and the server are.
package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"wsi/internal/jsonraw"
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

// Message is the part of a JSON-RPC message that a relay inspects. All slices are parts of Raw.
type Message struct {
	Raw    []byte         // the line, with its end
	ID     []byte         // raw JSON; nil without one, or if it is null
	Method string         // "" for an answer
	Params jsonraw.Member // of a request or notification; the zero Member if there are none
	Result jsonraw.Member // of an answer; the zero Member if there is none
	Error  jsonraw.Member // of an answer; the zero Member if there is none
}

// Parse parses a line. ok is false if it is not one JSON-RPC message: invalid JSON, an array, or an object
// with a duplicate member, of which client and server could read different ones.
func Parse(raw []byte) (m Message, ok bool) {
	members, err := jsonraw.Object(raw)
	if ok = err == nil; !ok {
		return m, false
	}
	m.Raw = raw
	var id, method jsonraw.Member
	parts := [...]struct {
		name string
		into *jsonraw.Member
	}{{"id", &id}, {"method", &method}, {"params", &m.Params}, {"result", &m.Result}, {"error", &m.Error}}
	for _, member := range members {
		for _, p := range parts {
			if member.Is(p.name) {
				ok = ok && p.into.Value == nil
				*p.into = member
			}
		}
	}
	if string(id.Value) != "null" {
		m.ID = id.Value
	}
	if method.Value != nil {
		var is bool
		if m.Method, is = jsonraw.Unquote(method.Value); !is || m.Method == "" {
			return m, false
		}
	}
	return m, ok
}

// Request reports whether the message is a request.
func (m Message) Request() bool { return m.Method != "" && m.ID != nil }

// Answer reports whether the message is the answer to a request.
func (m Message) Answer() bool { return m.Method == "" && m.ID != nil }

// Key returns a canonical form of a raw id, because a peer may write the same string or number differently. For
// any other id it is the raw text.
func Key(id []byte) string {
	if s, ok := jsonraw.Unquote(id); ok {
		return `"` + s
	}
	if strings.ContainsAny(string(id), ".eE") {
		if f, err := strconv.ParseFloat(string(id), 64); err == nil {
			return strconv.FormatFloat(f, 'f', -1, 64)
		}
	}
	return string(id)
}

// ID returns a raw id that has the key.
func ID(key string) []byte {
	if text, ok := strings.CutPrefix(key, `"`); ok {
		return jsonraw.Quote(text)
	}
	return []byte(key)
}

// Split separates a line into a message, or a batch of messages, and what was written on the line before it, such as a banner.
// Both are parts of the line, and the message keeps its bytes. It is nil if the line has none; a line of blanks has neither.
func Split(line []byte) (message, other []byte) {
	text := bytes.TrimSpace(line)
	switch {
	case len(text) == 0:
		return nil, nil
	case isMessage(text):
		return line, nil
	}
	if i := bytes.Index(line, []byte(`{"jsonrpc"`)); i > 0 && json.Valid(line[i:]) {
		return line[i:], line[:i]
	}
	return nil, line
}

// isMessage reports whether a line without blanks around it is a message, as far as its beginning shows. A server may have died
// before its end. Without the member jsonrpc, it must have another one that makes it a message.
func isMessage(text []byte) bool {
	if text[0] != '{' && text[0] != '[' {
		return false
	}
	if bytes.Contains(text, []byte(`"jsonrpc"`)) {
		return true
	}
	m, ok := Parse(text)
	return ok && (m.ID != nil || m.Method != "") || text[0] == '[' && json.Valid(text)
}

const scalar = `("(?:[^"\\]|\\.)*"|-?[0-9]+)`

// begins matches the beginning of an answer up to its result, ends the id as its last member.
var (
	begins = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*|"id"\s*:\s*` + scalar + `\s*,\s*)*"(?:result|error)"\s*:`)
	})
	ends = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^"id"\s*:\s*` + scalar + `\s*\}\s*$`)
	})
)

// AnswerID returns the raw id of an answer without parsing its result, which may be large: the id comes before the result, or at
// the end of the message. ok is false if the line must be parsed to find the id.
func AnswerID(line []byte) (id []byte, ok bool) {
	found := begins().FindSubmatch(line[:min(len(line), 1<<10)])
	if found == nil {
		return nil, false
	}
	if found[1] != nil {
		return found[1], true
	}
	at := bytes.LastIndex(line, []byte(`"id"`))
	if at < 0 || !bytes.HasSuffix(bytes.TrimRight(line[:at], " \t\r\n"), []byte{','}) {
		return nil, false
	}
	if found = ends().FindSubmatch(line[at:]); found == nil {
		return nil, false // it is the id of something in the result
	}
	return found[1], true
}
