package clinecli

import (
	"crypto/sha1" //nolint:gosec // it only distinguishes names
	"encoding/hex"
	"strings"

	"wsi/harnesses"
)

// A name with other characters or a longer one ends with a hash of this length (read in 3.0.65).
const longest, hashed = 64, 8

// called returns the name under which the model calls a tool.
func called(server, tool string) string {
	name := server + "__" + tool
	plain := safe(name)
	if plain == name && len(name) <= longest {
		return name
	}
	sum := sha1.Sum([]byte(name)) //nolint:gosec // as above
	return plain[:min(len(plain), longest-len("_")-hashed)] + "_" + hex.EncodeToString(sum[:])[:hashed]
}

// safe replaces each run of characters that a name must not have by one "_".
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

// cut splits off what may be a hash at the end of a name.
func cut(name string) (rest, hash string) {
	at := len(name) - len("_") - hashed
	if at < 1 || name[at] != '_' || strings.Trim(name[at+1:], "0123456789abcdef") != "" {
		return name, ""
	}
	return name[:at], name[at+1:]
}
