package carry

import (
	"bytes"
	"strconv"
)

// unescape returns raw JSON without escapes of printable characters, at any depth of JSON within JSON. PHP writes \/ for / and
// .NET (System.Text.Json) writes \u002B for +.
func unescape(raw []byte) []byte {
	if !bytes.Contains(raw, []byte(`\/`)) && !bytes.Contains(raw, []byte(`\u00`)) {
		return raw
	}
	text := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		b, n := raw[i], 1
		if b == '\\' {
			b, n = escape(raw[i:])
		}
		text = append(text, b)
		i += n
	}
	return text
}

// escape decodes the escape sequence at the start of raw. It returns the character and the sequence's length.
func escape(raw []byte) (b byte, n int) {
	k := 0
	for k < len(raw) && k < maxEscapes && raw[k] == '\\' {
		k++
	}
	switch rest := raw[k:]; {
	case len(rest) > 0 && rest[0] == '/':
		return '/', k + 1
	case len(rest) >= 5 && string(rest[:3]) == "u00":
		if c, err := strconv.ParseUint(string(rest[3:5]), 16, 7); err == nil && c > ' ' {
			return byte(c), k + 5
		}
	}
	return '\\', 1
}

// maxEscapes bounds the backslashes before one character: JSON nested five deep.
const maxEscapes = 32
