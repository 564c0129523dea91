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

// Set returns doc, which is an object, with a value for a key; the other members keep their bytes. A new member comes last, and
// so does one that takes the place of duplicates. It returns nil if sjson cannot set the key, such as "".
func Set(doc []byte, key string, value []byte) []byte {
	members, err := Object(doc)
	if err != nil {
		return nil
	}
	if rest := members.without(key); len(rest) < len(members)-1 { // sjson would set the first of the duplicates
		doc = rest.object()
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
		return rest.object()
	}
	return doc
}

func (m Members) without(key string) (rest Members) {
	for _, member := range m {
		if !member.Is(key) {
			rest = append(rest, member)
		}
	}
	return rest
}

func (m Members) object() []byte {
	out := []byte{'{'}
	for i, member := range m {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, member.Key...), ':'), member.Value...)
	}
	return append(out, '}')
}
