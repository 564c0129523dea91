// Package rawjson scans JSON without decoding it. It finds the members of an object and the elements of an array as slices of the
// original bytes. The hook needs it to pass arguments on byte for byte, and to read large results in less than a millisecond.
//
// It must not know what the JSON means.
package rawjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"
)

// ErrSyntax is returned for a document that is not JSON or is nested more than 1000 deep. It is also returned
// for an object or array with more than 65536 members or elements.
var ErrSyntax = errors.New("not valid JSON")

// ErrKind is returned for a valid value of another kind.
var ErrKind = errors.New("JSON value of another kind")

const (
	maxDepth = 1000
	maxItems = 1 << 16
	maxKept  = 4 * maxItems // in the Inner of one document
)

// Member is a member of an object. Key is a raw JSON string, Value a raw JSON value. Both are slices of the scanned document.
type Member struct {
	Key, Value []byte  // an element of an array has no Key
	At         int     // offset of Key in the document
	Start, End int     // offsets of Value
	Inner      Members // of Value, if the path of [Object] leads here; nil if there are more than 65536, or 262144 in the document
}

// Members are the members of an object in the order of the document, duplicates included.
type Members []Member

// Get returns the raw value of a key, or nil. Of duplicate keys the last counts, as in JavaScript.
func (m Members) Get(key string) []byte {
	member, _ := m.Find(key)
	return member.Value
}

// String returns the value of a key, or "" if the value is missing or not a string.
func (m Members) String(key string) string {
	s, _ := Unquote(m.Get(key))
	return s
}

// Is reports whether the member has this key. An element of an array has the key "".
func (m Member) Is(key string) bool {
	if m.Key == nil {
		return key == ""
	}
	k := m.Key[1 : len(m.Key)-1]
	if string(k) == key {
		return true
	}
	for _, c := range k {
		if c == '\\' {
			s, ok := Unquote(m.Key)
			return ok && s == key
		}
	}
	return false
}

// Object returns the members of a document that is an object. It validates the whole document. The members with the first key
// of path have their own members in Inner, or their elements if path goes on; among those, the ones with the next key, and so on.
func Object(doc []byte, path ...string) (Members, error) { return object(scanner{b: doc}, path) }

// ObjectIn is [Object] for a value that this package has returned. It does not validate strings again, which
// makes it ten times as fast on a large value.
func ObjectIn(value []byte) (Members, error) { return object(scanner{b: value, known: true}, nil) }

func object(s scanner, path []string) (Members, error) {
	members := make(Members, 0, min(8, len(s.b)/4))
	if err := s.whole('{', path, func(m Member) { members = append(members, m) }); err != nil {
		return nil, err
	}
	return members, nil
}

// Get returns the raw value of a key in a document that is an object, or nil. It is [Object] and [Members.Get]
// without the allocation.
func Get(doc []byte, key string) (value []byte, err error) { return get(scanner{b: doc}, key) }

// GetIn is [Get] for a value that this package has returned; see [ObjectIn].
func GetIn(value []byte, key string) ([]byte, error) { return get(scanner{b: value, known: true}, key) }

func get(s scanner, key string) (value []byte, err error) {
	err = s.whole('{', nil, func(m Member) {
		if m.Is(key) {
			value = m.Value
		}
	})
	if err != nil {
		return nil, err
	}
	return value, nil
}

// Array returns the elements of a document that is an array. It validates the whole document.
func Array(doc []byte) ([][]byte, error) { return array(scanner{b: doc}) }

// ArrayIn is [Array] for a value that this package has returned; see [ObjectIn].
func ArrayIn(value []byte) ([][]byte, error) { return array(scanner{b: value, known: true}) }

func array(s scanner) ([][]byte, error) {
	elements := make([][]byte, 0, min(64, len(s.b)/16))
	if err := s.whole('[', nil, func(m Member) { elements = append(elements, m.Value) }); err != nil {
		return nil, err
	}
	return elements, nil
}

// Valid reports whether the document is one JSON value.
func Valid(doc []byte) bool {
	s := scanner{b: doc}
	return s.value(0) == nil && s.finish() == nil
}

// Unquote decodes a raw JSON string. It reports false if raw is not a JSON string.
func Unquote(raw []byte) (s string, ok bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	if text, ok := unescape(raw[1 : len(raw)-1]); ok && raw[len(raw)-1] == '"' {
		return text, true
	}
	return s, json.Unmarshal(raw, &s) == nil
}

// unescape decodes the inside of a string that has only short escapes and valid UTF-8, as texts in results have. It is
// several times as fast as package json.
func unescape(inner []byte) (text string, ok bool) {
	if !utf8.Valid(inner) {
		return "", false
	}
	n := plainPrefix(inner)
	if n == len(inner) {
		return string(inner), true
	}
	decoded := make([]byte, 0, len(inner))
	for ; n < len(inner); n = plainPrefix(inner) {
		if n+1 == len(inner) || inner[n] != '\\' {
			return "", false
		}
		at := strings.IndexByte(`"\/bfnrt`, inner[n+1])
		if at < 0 {
			return "", false
		}
		decoded = append(append(decoded, inner[:n]...), "\"\\/\b\f\n\r\t"[at])
		inner = inner[n+2:]
	}
	return string(append(decoded, inner...)), true
}

// Quote returns s as a raw JSON string. It escapes only quotes, backslashes and control characters.
func Quote(s string) []byte { return AppendQuote(make([]byte, 0, len(s)+2), s) }

// AppendQuote appends the result of [Quote] to raw.
func AppendQuote(raw []byte, s string) []byte {
	raw = append(raw, '"')
	for s != "" {
		part, start := s[:min(len(s), 256)], len(raw) // in parts, so that each escape copies at most 256 bytes again
		raw = append(raw, part...)
		n := plainPrefix(raw[start:])
		if s = s[n:]; n == len(part) {
			continue
		}
		c := s[0]
		raw, s = raw[:start+n], s[1:]
		if c >= ' ' {
			raw = append(raw, '\\', c)
			continue
		}
		const hex = "0123456789abcdef"
		raw = append(raw, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
	}
	return append(raw, '"')
}

// Find returns the member with a key. Of duplicates the last counts, as in JavaScript.
func (m Members) Find(key string) (member Member, ok bool) {
	for i := len(m) - 1; i >= 0; i-- {
		if m[i].Is(key) {
			return m[i], true
		}
	}
	return member, false
}

// Replace returns doc with another value for a member. The member must be one of doc or of a value in doc.
func Replace(doc []byte, at Member, value []byte) []byte {
	out := make([]byte, 0, len(doc)-len(at.Value)+len(value))
	out = append(append(out, doc[:at.Start]...), value...)
	return append(out, doc[at.End:]...)
}

// Set returns doc with a value for a key; all other bytes stay. It sets every duplicate of the key, so that it does
// not matter which one a parser uses. A new member comes last. members must be the result of [Object] for doc.
func Set(doc []byte, members Members, key string, value []byte) []byte {
	out := make([]byte, 0, len(doc)+len(value)+len(key)+8)
	done := 0
	for _, m := range members {
		if m.Is(key) {
			out = append(append(out, doc[done:m.Start]...), value...)
			done = m.End
		}
	}
	if done > 0 {
		return append(out, doc[done:]...)
	}
	end := bytes.LastIndexByte(doc, '}')
	if len(members) > 0 {
		end = members[len(members)-1].End
	}
	out = append(out, doc[:end]...)
	if len(members) > 0 {
		out = append(out, ',')
	}
	out = append(append(AppendQuote(out, key), ':'), value...)
	return append(out, doc[end:]...)
}

// Remove returns doc without the members with a key. It returns a doc that is not an object unchanged.
func Remove(doc []byte, key string) []byte {
	for {
		members, err := Object(doc)
		if err != nil {
			return doc
		}
		at := 0
		for at < len(members) && !members[at].Is(key) {
			at++
		}
		if at == len(members) {
			return doc
		}
		start, end := members[at].At, members[at].End
		if at > 0 { // with the comma before it
			start = members[at-1].End
		} else if len(members) > 1 { // with the comma after it
			end += bytes.IndexByte(doc[end:], ',') + 1
		}
		doc = append(append(make([]byte, 0, len(doc)), doc[:start]...), doc[end:]...)
	}
}
