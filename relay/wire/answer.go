package wire

import "bytes"

// AnswerID returns the raw id of an answer without parsing its result: the id comes before the result, or is
// the last member. ok is false if the line must be parsed to find the id.
func AnswerID(line []byte) (id []byte, ok bool) {
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(line, blanks), []byte{'{'})
	if !ok {
		return nil, false
	}
	for {
		var key, value []byte
		if key, rest, ok = scalar(rest); !ok || key[0] != '"' {
			return nil, false
		}
		if rest, ok = bytes.CutPrefix(bytes.TrimLeft(rest, blanks), []byte{':'}); !ok {
			return nil, false
		}
		switch string(key) {
		case `"result"`, `"error"`:
			if id == nil {
				return lastID(rest)
			}
			return id, true
		case `"id"`, `"jsonrpc"`:
		default:
			return nil, false
		}
		if value, rest, ok = scalar(rest); !ok {
			return nil, false
		}
		if string(key) == `"id"` {
			id = value
		}
		if rest, ok = bytes.CutPrefix(bytes.TrimLeft(rest, blanks), []byte{','}); !ok {
			return nil, false
		}
	}
}

const blanks = " \t\r\n"

// scalar splits a number, or a string without escapes, from the beginning of a JSON text.
func scalar(text []byte) (value, rest []byte, ok bool) {
	text = bytes.TrimLeft(text, blanks)
	if len(text) == 0 {
		return nil, nil, false
	}
	if text[0] == '"' {
		end := bytes.IndexAny(text[1:], `"\`)
		if end < 0 || text[1+end] == '\\' {
			return nil, nil, false
		}
		return text[:end+2], text[end+2:], true
	}
	end := 0
	for end < len(text) && (text[end] == '-' || text[end] >= '0' && text[end] <= '9') {
		end++
	}
	return text[:end], text[end:], end > 0
}

// lastID returns the id at the end of an object, as in {...,"jsonrpc":"2.0","id":7}.
func lastID(text []byte) (id []byte, ok bool) {
	text, ok = bytes.CutSuffix(bytes.TrimRight(text, blanks), []byte{'}'})
	if !ok {
		return nil, false
	}
	at := bytes.LastIndex(text, []byte(`,"id":`))
	if at < 0 {
		return nil, false
	}
	id, rest, ok := scalar(text[at+len(`,"id":`):])
	return id, ok && len(rest) == 0
}
