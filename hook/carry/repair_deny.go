package carry

import (
	"bytes"
	"encoding/base64"
	"slices"

	"wsi/internal/rawjson"
)

// names tells whether the session of a stored value shows in s. It is looked for at every offset
// that base64 can have, for damage shifts what follows it.
func (s *signed) names(stored []signed, member string) bool {
	var sessions [][]byte
	for i := range stored {
		if id := stored[i].in.Text(member); len(id) >= 8 {
			sessions = append(sessions, []byte(id))
		}
	}
	text := []byte(s.value)
	for i, b := range text {
		if !word(rune(b)) {
			text[i] = 'A'
		}
	}
	for offset := 0; offset < 4 && offset < len(text); offset++ {
		part := text[offset:]
		raw := make([]byte, len(part))
		n, _ := base64.RawURLEncoding.Decode(raw, part[:len(part)/4*4]) // no other character is left
		if slices.ContainsFunc(sessions, func(id []byte) bool { return bytes.Contains(raw[:n], id) }) {
			return true
		}
	}
	return false
}

// sound tells whether s may be a good value that was never seen: it says something of the same form
// as a stored value of its session, and is as long signed. The server is then to judge it.
func (s *signed) sound(stored []signed, member string) bool {
	in, ok := Look(s.value)
	if !ok || !hexadecimal(s.signature) {
		return false
	}
	for i := range stored {
		c := &stored[i]
		if in.Text(member) == c.in.Text(member) && len(s.signature) == len(c.signature) && in.alike(c.in) {
			return true
		}
	}
	return false
}

// alike tells whether what both say has the same form: a number where the other has a number, and a
// UUID where the other has one.
func (in Inside) alike(other Inside) bool {
	for _, m := range other.members {
		name, _ := rawjson.Unquote(m.Key)
		if in.members.Get(name) == nil {
			continue
		}
		_, number := in.Number(name)
		if _, was := other.Number(name); was != number {
			return false
		}
		if uuid(other.Text(name)) != uuid(in.Text(name)) {
			return false
		}
	}
	return true
}

func uuid(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := 0; i < len(s); i++ {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (s[i] == '-') || !dash && !hexadecimal(s[i:i+1]) {
			return false
		}
	}
	return true
}
