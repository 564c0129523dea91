// Package rawjson scans JSON without decoding it: it finds the members of an object and the
// elements of an array as slices of the original bytes. It is made for the hook, which must hand
// arguments on byte for byte and may not spend milliseconds on a large result.
//
// It must not know what the JSON means.
package rawjson

import (
	"encoding/json"
	"errors"
)

// ErrSyntax is returned for bytes that are not JSON, are nested more than 1000 deep, or have more than
// 65536 members or elements where they are asked for.
var ErrSyntax = errors.New("not valid JSON")

// ErrKind is returned where a valid value is not of the kind asked for.
var ErrKind = errors.New("JSON value of another kind")

const (
	maxDepth = 1000
	maxItems = 1 << 16
)

// Member is one member of an object. Key is a raw JSON string, Value a raw JSON value; both are
// slices of the scanned document.
type Member struct {
	Key, Value []byte
	Start, End int // of Value within the document
}

// Members are those of one object, in the document's order, duplicates included.
type Members []Member

// Get returns the raw value of a key, nil if there is none. Of duplicate keys the last counts, as
// in JavaScript.
func (m Members) Get(key string) []byte {
	for i := len(m) - 1; i >= 0; i-- {
		if m[i].Is(key) {
			return m[i].Value
		}
	}
	return nil
}

// String returns the value of a key as a string, "" if it is absent or no string.
func (m Members) String(key string) string {
	s, _ := Unquote(m.Get(key))
	return s
}

// Is tells whether the member has this key.
func (m Member) Is(key string) bool {
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

// Object returns the members of a document that is one object, white space around it allowed. The
// whole document is checked.
func Object(doc []byte) (Members, error) { return object(scanner{b: doc}) }

// ObjectIn is Object for a value that this package has found in a document. It is valid JSON, so that its
// strings need not be looked at a second time: on a large one that is ten times as fast.
func ObjectIn(value []byte) (Members, error) { return object(scanner{b: value, known: true}) }

func object(s scanner) (Members, error) {
	doc := s.b
	s.space()
	if s.peek() != '{' {
		return nil, s.notA()
	}
	members := make(Members, 0, min(16, len(doc)/4))
	err := s.object(1, func(key, start, end int, keyEnd int) {
		if len(members) > maxItems {
			return
		}
		members = append(members, Member{Key: doc[key:keyEnd], Value: doc[start:end], Start: start, End: end})
	})
	if err == nil {
		err = s.finish()
	}
	if err == nil && len(members) > maxItems {
		err = ErrSyntax
	}
	if err != nil {
		return nil, err
	}
	return members, nil
}

// Get returns the raw value of a key of a document that is one object, nil if there is none. It is
// Object and Members.Get in one, and keeps nothing of the other members.
func Get(doc []byte, key string) (value []byte, err error) {
	s := scanner{b: doc}
	s.space()
	if s.peek() != '{' {
		return nil, s.notA()
	}
	members := 0
	err = s.object(1, func(start, from, to int, keyEnd int) {
		if members++; (Member{Key: doc[start:keyEnd]}).Is(key) {
			value = doc[from:to]
		}
	})
	if err == nil {
		err = s.finish()
	}
	if err != nil || members > maxItems {
		return nil, ErrSyntax
	}
	return value, nil
}

// Array returns the elements of a document that is one array.
func Array(doc []byte) ([][]byte, error) { return array(scanner{b: doc}) }

// ArrayIn is to Array what ObjectIn is to Object.
func ArrayIn(value []byte) ([][]byte, error) { return array(scanner{b: value, known: true}) }

func array(s scanner) ([][]byte, error) {
	doc := s.b
	s.space()
	if s.peek() != '[' {
		return nil, s.notA()
	}
	elements := make([][]byte, 0, min(64, len(doc)/16))
	err := s.array(1, func(start, end int) {
		if len(elements) <= maxItems {
			elements = append(elements, doc[start:end])
		}
	})
	if err == nil {
		err = s.finish()
	}
	if err == nil && len(elements) > maxItems {
		err = ErrSyntax
	}
	if err != nil {
		return nil, err
	}
	return elements, nil
}

// Valid tells whether the document is one JSON value.
func Valid(doc []byte) bool {
	s := scanner{b: doc}
	return s.value(0) == nil && s.finish() == nil
}

// Unquote returns what a raw JSON string means; ok is false if raw is no JSON string.
func Unquote(raw []byte) (s string, ok bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	inner := raw[1 : len(raw)-1]
	if !isPlain(inner) {
		return s, json.Unmarshal(raw, &s) == nil
	}
	return string(inner), raw[len(raw)-1] == '"'
}

// Quote returns s as a raw JSON string, with no character escaped that need not be.
func Quote(s string) []byte { return AppendQuote(make([]byte, 0, len(s)+2), s) }

// AppendQuote appends what Quote returns.
func AppendQuote(raw []byte, s string) []byte {
	raw = append(raw, '"')
	for s != "" {
		part, start := s[:min(len(s), 256)], len(raw) // not all of it for each character that is escaped
		raw = append(raw, part...)
		n := plain(raw[start:])
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
