package rawjson

import "bytes"

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
