package clinecli

import (
	"crypto/sha1" //nolint:gosec // names are told apart with it, nothing is kept safe
	"encoding/hex"
	"strings"

	"wsi/harnesses"
)

// Of a name with other characters than these, or a longer one, so much of a hash stands at the end (read
// in 3.0.65).
const longest, hashed = 64, 8

// called is the name under which the model calls a tool.
func called(server, tool string) string {
	name := server + "__" + tool
	plain := safe(name)
	if plain == name && len(name) <= longest {
		return name
	}
	sum := sha1.Sum([]byte(name)) //nolint:gosec // as above
	return plain[:min(len(plain), longest-len("_")-hashed)] + "_" + hex.EncodeToString(sum[:])[:hashed]
}

// safe makes one "_" of all characters in a row that may not be in a name.
func safe(name string) string {
	var b strings.Builder
	gap := false
	for _, r := range name {
		if r < 0x80 && harnesses.WordOrHyphen(r) {
			b.WriteRune(r)
		} else if !gap {
			b.WriteByte('_')
		}
		gap = r >= 0x80 || !harnesses.WordOrHyphen(r)
	}
	return b.String()
}

// cut takes what may be a hash off the end of a name.
func cut(name string) (rest, hash string) {
	at := len(name) - len("_") - hashed
	if at < 1 || name[at] != '_' || strings.Trim(name[at+1:], "0123456789abcdef") != "" {
		return name, ""
	}
	return name[:at], name[at+1:]
}
