package jsonraw

import (
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// Replace returns doc with another value for a member. The member must be one of doc.
func Replace(doc []byte, at Member, value []byte) []byte {
	out := make([]byte, 0, len(doc)-len(at.Value)+len(value))
	out = append(append(out, doc[:at.Start]...), value...)
	return append(out, doc[at.End:]...)
}

// Set returns doc, which is an object, with a value for a key; the other members keep their bytes. Of duplicates of the key the
// last one stays, with the value. A new member comes last. It returns nil if sjson cannot set the key, such as "".
func Set(doc []byte, key string, value []byte) []byte {
	members, err := Object(doc)
	if err != nil {
		return nil
	}
	for again := range members.count(key) {
		if again > 0 {
			doc = remove(doc, key)
		}
	}
	out, err := sjson.SetRawBytes(doc, path(key), value)
	if err != nil {
		return nil
	}
	return out
}

// Remove returns doc without the members with a key. It returns a doc that is not an object unchanged.
func Remove(doc []byte, key string) []byte {
	members, err := Object(doc)
	if err != nil {
		return doc
	}
	for range members.count(key) {
		doc = remove(doc, key)
	}
	return doc
}

// remove removes the first member with a key.
func remove(doc []byte, key string) []byte {
	if out, err := sjson.DeleteBytes(doc, path(key)); err == nil {
		return out
	}
	return doc
}

func (m Members) count(key string) (n int) {
	for i := range m {
		if m[i].Is(key) {
			n++
		}
	}
	return n
}

// path returns the path of gjson and sjson that means a key, also if it has a dot or is a number.
func path(key string) string { return ":" + gjson.Escape(key) }
