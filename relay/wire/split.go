package wire

import (
	"bytes"

	"wsi/internal/jsonraw"
)

// Split separates a line into a message, or a batch of messages, and what was written on the line before it, such as a banner.
// Both are parts of the line, and the message keeps its bytes. It is nil if the line has none; a line of blanks has neither.
func Split(line []byte) (message, other []byte) {
	text := bytes.TrimSpace(line)
	switch {
	case len(text) == 0:
		return nil, nil
	case isMessage(text):
		return line, nil
	}
	if i := bytes.Index(line, []byte(`{"jsonrpc"`)); i > 0 && jsonraw.Valid(line[i:]) {
		return line[i:], line[:i]
	}
	return nil, line
}

// isMessage reports whether a line without blanks around it is a message, as far as its beginning shows. A server may have died
// before its end. Without the member jsonrpc, it must have another one that makes it a message.
func isMessage(text []byte) bool {
	if text[0] != '{' && text[0] != '[' {
		return false
	}
	if bytes.Contains(text, []byte(`"jsonrpc"`)) {
		return true
	}
	m, ok := Parse(text)
	return ok && (m.ID != nil || m.Method != "") || text[0] == '[' && jsonraw.Valid(text)
}
