package wire

import (
	"bytes"
	"strconv"
	"strings"

	"wsi/internal/jsonraw"
)

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

// Pieces finds the id and the method of a message that comes in pieces, because it is too long to be read whole.
type Pieces struct {
	depth           int
	text, escaped   bool // in a string, and after a backslash in it
	value           bool // after a colon in the outermost object
	key, id, method []byte
}

const maxWord = 256

// Add adds the next piece.
func (p *Pieces) Add(piece []byte) {
	for _, c := range piece {
		p.add(c)
	}
}

func (p *Pieces) add(c byte) {
	outer := p.depth == 1
	switch {
	case !p.text && (c == ' ' || c == '\t' || c == '\r' || c == '\n'):
		return
	case p.text:
		p.text = p.escaped || c != '"'
		p.escaped = c == '\\' && !p.escaped
	case c == '"':
		p.text = true
		if outer && !p.value {
			p.key = p.key[:0]
		}
	case c == '{' || c == '[':
		p.depth++
	case c == '}' || c == ']':
		p.depth--
	case outer && c == ':':
		p.value = true
		return
	case outer && c == ',':
		p.value = false
		return
	}
	if outer && p.depth == 1 {
		p.word(c)
	}
}

// word keeps a character of the outermost object.
func (p *Pieces) word(c byte) {
	into := &p.key
	switch {
	case p.value && string(p.key) == `"id"`:
		into = &p.id
	case p.value && string(p.key) == `"method"`:
		into = &p.method
	case p.value:
		return
	}
	if len(*into) < maxWord {
		*into = append(*into, c)
	}
}

// Request returns the raw id if the message is a request, else nil.
func (p *Pieces) Request() (id []byte) {
	if len(p.method) == 0 || len(p.id) >= maxWord || !jsonraw.Valid(p.id) || string(p.id) == "null" {
		return nil
	}
	return p.id
}

// AnswerID returns the raw id of an answer without parsing its result: the id comes before the result, or is
// the last member. ok is false if the line must be parsed to find the id.
func AnswerID(line []byte) (id []byte, ok bool) {
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(line, blanks), []byte{'{'})
	if !ok {
		return nil, false
	}
	for {
		var key, value []byte
		if key, rest, ok = scalar(rest); !ok || key[0] != '"' {
			return nil, false
		}
		if rest, ok = bytes.CutPrefix(bytes.TrimLeft(rest, blanks), []byte{':'}); !ok {
			return nil, false
		}
		switch string(key) {
		case `"result"`, `"error"`:
			if id == nil {
				return lastID(rest)
			}
			return id, true
		case `"id"`, `"jsonrpc"`:
		default:
			return nil, false
		}
		if value, rest, ok = scalar(rest); !ok {
			return nil, false
		}
		if string(key) == `"id"` {
			id = value
		}
		if rest, ok = bytes.CutPrefix(bytes.TrimLeft(rest, blanks), []byte{','}); !ok {
			return nil, false
		}
	}
}

const blanks = " \t\r\n"

// scalar splits a number, or a string without escapes, from the beginning of a JSON text.
func scalar(text []byte) (value, rest []byte, ok bool) {
	text = bytes.TrimLeft(text, blanks)
	if len(text) == 0 {
		return nil, nil, false
	}
	if text[0] == '"' {
		end := bytes.IndexAny(text[1:], `"\`)
		if end < 0 || text[1+end] == '\\' {
			return nil, nil, false
		}
		return text[:end+2], text[end+2:], true
	}
	end := 0
	for end < len(text) && (text[end] == '-' || text[end] >= '0' && text[end] <= '9') {
		end++
	}
	return text[:end], text[end:], end > 0
}

// lastID returns the id at the end of an object, as in {...,"jsonrpc":"2.0","id":7}.
func lastID(text []byte) (id []byte, ok bool) {
	text, ok = bytes.CutSuffix(bytes.TrimRight(text, blanks), []byte{'}'})
	if !ok {
		return nil, false
	}
	at := bytes.LastIndex(text, []byte(`,"id":`))
	if at < 0 {
		return nil, false
	}
	id, rest, ok := scalar(text[at+len(`,"id":`):])
	return id, ok && len(rest) == 0
}
