package wire

import (
	"bytes"
	"strconv"
	"strings"

	"wsi/internal/rawjson"
)

// Message is the part of a JSON-RPC message that a relay inspects. All slices are parts of Raw.
type Message struct {
	Raw    []byte         // the line, with its end
	ID     []byte         // raw JSON; nil without one, or if it is null
	Method string         // "" for an answer
	Params rawjson.Member // of a request or notification; the zero Member if there are none
	Result rawjson.Member // of an answer; the zero Member if there is none
	Error  rawjson.Member // of an answer; the zero Member if there is none
}

// Parse parses a line. ok is false if it is not one JSON-RPC message: invalid JSON, an array, or an object
// with a duplicate member, of which client and server could read different ones.
func Parse(raw []byte) (m Message, ok bool) {
	members, err := rawjson.Object(raw)
	if err != nil {
		return m, false
	}
	m.Raw = raw
	seen := 0
	take := func(bit int, into *rawjson.Member, from rawjson.Member) {
		if seen&bit != 0 {
			err = rawjson.ErrSyntax
		}
		seen |= bit
		*into = from
	}
	var id, method rawjson.Member
	for _, member := range members {
		switch {
		case member.Is("id"):
			take(1, &id, member)
		case member.Is("method"):
			take(2, &method, member)
		case member.Is("params"):
			take(4, &m.Params, member)
		case member.Is("result"):
			take(8, &m.Result, member)
		case member.Is("error"):
			take(16, &m.Error, member)
		}
	}
	if string(id.Value) != "null" {
		m.ID = id.Value
	}
	if method.Value != nil {
		var is bool
		if m.Method, is = rawjson.Unquote(method.Value); !is || m.Method == "" {
			return m, false
		}
	}
	return m, err == nil
}

// Request reports whether the message is a request.
func (m Message) Request() bool { return m.Method != "" && m.ID != nil }

// Answer reports whether the message is the answer to a request.
func (m Message) Answer() bool { return m.Method == "" && m.ID != nil }

// Key returns a canonical form of a raw id, because a peer may write the same string or number differently. For
// any other id it is the raw text.
func Key(id []byte) string {
	if s, ok := rawjson.Unquote(id); ok {
		return `"` + s
	}
	if strings.ContainsAny(string(id), ".eE") {
		if f, err := strconv.ParseFloat(string(id), 64); err == nil {
			return strconv.FormatFloat(f, 'f', -1, 64)
		}
	}
	return string(id)
}

// Splice returns a message with the value of a member replaced.
func (m Message) Splice(at rawjson.Member, value []byte) []byte { return Splice(m.Raw, at, value) }

// Splice returns doc with the value of a member replaced.
func Splice(doc []byte, at rawjson.Member, value []byte) []byte {
	out := make([]byte, 0, len(doc)-len(at.Value)+len(value))
	out = append(append(out, doc[:at.Start]...), value...)
	return append(out, doc[at.End:]...)
}

// Find returns the member with a name, the last of duplicates, as JavaScript does. ok is false if there is
// none.
func Find(members rawjson.Members, name string) (m rawjson.Member, ok bool) {
	for i := len(members) - 1; i >= 0; i-- {
		if members[i].Is(name) {
			return members[i], true
		}
	}
	return m, false
}

// Set returns a raw object with a member set, its other bytes unchanged. members must be those of doc.
func Set(doc []byte, members rawjson.Members, name string, value []byte) []byte {
	if at, ok := Find(members, name); ok {
		return Splice(doc, at, value)
	}
	end := bytes.LastIndexByte(doc, '}')
	if len(members) > 0 {
		end = members[len(members)-1].End
	}
	out := append(make([]byte, 0, len(doc)+len(name)+len(value)+4), doc[:end]...)
	if len(members) > 0 {
		out = append(out, ',')
	}
	out = append(append(append(out, rawjson.Quote(name)...), ':'), value...)
	return append(out, doc[end:]...)
}

// Remove returns a raw object without the members with a name.
func Remove(doc []byte, name string) []byte {
	for {
		members, err := rawjson.Object(doc)
		if err != nil {
			return doc
		}
		at := -1
		for i := range members {
			if members[i].Is(name) {
				at = i
			}
		}
		if at < 0 {
			return doc
		}
		start := members[at].Start - len(members[at].Key)
		for !bytes.HasPrefix(doc[start:], members[at].Key) { // white space and a colon are between
			start--
		}
		end := members[at].End
		switch {
		case at > 0:
			start = members[at-1].End
		case len(members) > 1:
			for doc[end] != ',' {
				end++
			}
			end++
		}
		doc = append(append(make([]byte, 0, len(doc)), doc[:start]...), doc[end:]...)
	}
}
