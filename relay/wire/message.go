package wire

import (
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
