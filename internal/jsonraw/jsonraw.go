// Package jsonraw finds and replaces parts of a JSON document and leaves its other bytes as they are. It is what wsi needs of
// gjson and sjson, without their traps: they take any bytes, have no bound of depth, and see the first of duplicate keys.
//
// It must not know what the JSON means.
package jsonraw

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// ErrSyntax is returned for a document that is not JSON or is nested more than 10,000 deep. It is also returned
// for an object or array with more than 65,536 members or elements.
var ErrSyntax = errors.New("not valid JSON")

// ErrKind is returned for a valid value of another kind.
var ErrKind = errors.New("JSON value of another kind")

const maxItems = 1 << 16

// Member is a member of an object. Key is a raw JSON string, Value a raw JSON value. Both are slices of the document.
type Member struct {
	Key, Value []byte // an element of an array has no Key
	Start, End int    // offsets of Value in the document
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

// Find returns the member with a key. Of duplicates the last counts, as in JavaScript.
func (m Members) Find(key string) (member Member, ok bool) {
	for _, member := range slices.Backward(m) {
		if member.Is(key) {
			return member, true
		}
	}
	return member, false
}

// Is reports whether the member has this key. An element of an array has the key "".
func (m Member) Is(key string) bool {
	if m.Key == nil {
		return key == ""
	}
	k := m.Key[1 : len(m.Key)-1]
	if bytes.IndexByte(k, '\\') < 0 && utf8.Valid(k) {
		return string(k) == key
	}
	s, ok := Unquote(m.Key)
	return ok && s == key
}

// Object returns the members of a document that is an object. It validates the whole document.
func Object(doc []byte) (Members, error) { return whole(doc, '{') }

// ObjectIn is [Object] for a value that this package has returned: it does not validate it again.
func ObjectIn(value []byte) (Members, error) { return items(value, '{') }

// In is [ObjectIn] without an error: what is not an object has no members.
func In(value []byte) Members {
	members, _ := items(value, '{')
	return members
}

// In returns the members of the object that a key has.
func (m Members) In(key string) Members { return In(m.Get(key)) }

// Array returns the elements of a document that is an array. It validates the whole document.
func Array(doc []byte) ([][]byte, error) {
	members, err := whole(doc, '[')
	return members.values(), err
}

// ArrayIn is [Array] for a value that this package has returned: it does not validate it again.
func ArrayIn(value []byte) ([][]byte, error) {
	members, err := items(value, '[')
	return members.values(), err
}

// Elements is [ArrayIn] with the places of the elements.
func Elements(value []byte) (Members, error) { return items(value, '[') }

func (m Members) values() [][]byte {
	all := make([][]byte, len(m))
	for i := range m {
		all[i] = m[i].Value
	}
	return all
}

// whole bounds the depth of the document, which gjson does not.
func whole(doc []byte, open byte) (Members, error) {
	if !json.Valid(doc) {
		return nil, ErrSyntax
	}
	return items(doc, open)
}

// items returns the members or elements of a valid document that begins with open.
func items(doc []byte, open byte) (all Members, err error) {
	if trimmed := bytes.TrimLeft(doc, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != open {
		return nil, ErrKind
	}
	gjson.ParseBytes(doc).ForEach(func(key, value gjson.Result) bool {
		m := Member{Value: doc[value.Index : value.Index+len(value.Raw)], Start: value.Index, End: value.Index + len(value.Raw)}
		if open == '{' {
			m.Key = doc[key.Index : key.Index+len(key.Raw)]
		}
		if len(all) == maxItems {
			err = ErrSyntax
		}
		all = append(all, m)
		return err == nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// Unquote decodes a raw JSON string. It reports false if raw is not a JSON string.
func Unquote(raw []byte) (s string, ok bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	return s, json.Unmarshal(raw, &s) == nil
}

// Quote returns s as a raw JSON string, or an array of strings, with < > & as they are.
func Quote[T string | []string](s T) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // strings can be encoded
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// List returns an array of raw elements.
func List(elements [][]byte) []byte {
	return slices.Concat([]byte{'['}, bytes.Join(elements, []byte{','}), []byte{']'})
}

// Replace returns doc with another value for a member. The member must be one of doc.
func Replace(doc []byte, at Member, value []byte) []byte {
	out := make([]byte, 0, len(doc)-len(at.Value)+len(value))
	out = append(append(out, doc[:at.Start]...), value...)
	return append(out, doc[at.End:]...)
}

// Set returns doc, which is an object, with a value for a key; the other members keep their bytes. A new member comes last, and
// so does one that takes the place of duplicates. It returns nil if sjson cannot set the key, such as "".
func Set(doc []byte, key string, value []byte) []byte {
	members, err := Object(doc)
	if err != nil {
		return nil
	}
	if rest := members.without(key); len(rest) < len(members)-1 { // sjson would set the first of the duplicates
		doc = rest.Raw()
	}
	out, err := sjson.SetRawBytes(doc, ":"+gjson.Escape(key), value) // ":" says that a number is a key, too
	if err != nil {
		return nil
	}
	return out
}

// Remove returns doc without the members with a key; the others keep their bytes. It returns a doc that is not an object, or has no
// such member, unchanged. sjson deletes the wrong bytes if a key has a quote.
func Remove(doc []byte, key string) []byte {
	members, err := Object(doc)
	if rest := members.without(key); err == nil && len(rest) < len(members) {
		return rest.Raw()
	}
	return doc
}

func (m Members) without(key string) Members {
	return slices.DeleteFunc(slices.Clone(m), func(member Member) bool { return member.Is(key) })
}

// Raw returns an object with these members.
func (m Members) Raw() []byte {
	out := []byte{'{'}
	for i, member := range m {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, member.Key...), ':'), member.Value...)
	}
	return append(out, '}')
}
