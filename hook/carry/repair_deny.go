package carry

import (
	"bytes"
	"encoding/base64"
	"slices"

	"wsi/internal/rawjson"
)

// damages reports whether s would damage the session of a stored value: s names the session but is not a
// value of it. A value that may be good, though never seen, is left to the server. mixed says that s is made
// of two values.
func (s *signed) damages(stored []signed, member string, mixed bool) bool {
	var known []Payload
	for i := range stored {
		if in, ok := Decode(stored[i].value); ok {
			known = append(known, in)
		}
	}
	return s.names(known, member) && (mixed || !s.isSound(known, member))
}

// names reports whether s contains the name of a known session. It tries every base64 offset, because damage
// shifts the text after it.
func (s *signed) names(known []Payload, member string) bool {
	var sessions [][]byte
	for _, in := range known {
		if id := in.Text(member); len(id) >= 8 {
			sessions = append(sessions, []byte(id))
		}
	}
	text := []byte(s.value)
	for i, b := range text {
		if !isWord(rune(b)) {
			text[i] = 'A'
		}
	}
	for offset := 0; offset < 4 && offset < len(text); offset++ {
		part := text[offset:]
		raw := make([]byte, len(part))
		n, _ := base64.RawURLEncoding.Decode(raw, part[:len(part)/4*4]) // text has only characters of the alphabet
		if slices.ContainsFunc(sessions, func(id []byte) bool { return bytes.Contains(raw[:n], id) }) {
			return true
		}
	}
	return false
}

// isSound reports whether s may be a good value that was never seen: its payload and signature have the form
// of a known value. Its session may have been opened without a hook, with a known one as its parent.
func (s *signed) isSound(known []Payload, member string) bool {
	in, ok := Decode(s.value)
	return ok && slices.ContainsFunc(known, func(k Payload) bool {
		return in.Text(member) != "" && in.alike(k) &&
			len(in.Signature) == len(k.Signature) && isHex(in.Signature) == isHex(k.Signature)
	})
}

// alike reports whether two payloads have the same form: members that both have are numbers in both or in
// neither, and UUIDs in both or in neither.
func (in Payload) alike(other Payload) bool {
	for _, m := range other.members {
		name, _ := rawjson.Unquote(m.Key)
		if in.members.Get(name) == nil {
			continue
		}
		_, number := in.Number(name)
		if _, was := other.Number(name); was != number {
			return false
		}
		if isUUID(other.Text(name)) != isUUID(in.Text(name)) {
			return false
		}
	}
	return true
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (s[i] == '-') || !dash && !isHex(s[i:i+1]) {
			return false
		}
	}
	return true
}

func isHex(s string) bool {
	for i := range len(s) {
		if !('0' <= s[i] && s[i] <= '9' || 'a' <= s[i] && s[i] <= 'f') {
			return false
		}
	}
	return true
}
