package wire

import "bytes"

// AnswerID returns the raw id of an answer without parsing its result: the id comes before the result, or after it at the end.
// ok is false if the line must be parsed to find the id.
func AnswerID(line []byte) (id []byte, ok bool) {
	o := outlineOf(line, line)
	return o.id, o.answer && o.id != nil
}

// Ends are the first and the last bytes of a message that comes in pieces, because it is too long to be read whole.
type Ends struct{ first, last []byte }

const endSize = 1 << 10

// Add adds the next piece.
func (e *Ends) Add(piece []byte) {
	e.first = append(e.first, piece[:min(len(piece), endSize-len(e.first))]...)
	last := append(e.last, piece[max(0, len(piece)-endSize):]...)
	e.last = last[max(0, len(last)-endSize):]
}

// Request returns the raw id if the message is a request, else nil. It does not find an id that is
// neither before nor after all large members.
func (e *Ends) Request() (id []byte) {
	if o := outlineOf(e.first, e.last); o.request {
		return o.id
	}
	return nil
}

// outline is what a message says next to its params or its result.
type outline struct {
	id              []byte // nil if it was not found
	request, answer bool   // neither if that is not known
}

// outlineOf reads a message that begins with first and ends with last.
func outlineOf(first, last []byte) outline {
	first, ok := bytes.CutPrefix(bytes.TrimLeft(first, blanks), []byte{'{'})
	o, _, is := scalars(first)
	if !ok || !is {
		return outline{}
	}
	if at := bytes.LastIndex(last, []byte(`"id"`)); o.id == nil && at >= 0 {
		end, rest, ok := scalars(last[at:])
		next := bytes.HasSuffix(bytes.TrimRight(last[:at], blanks), []byte{','})
		if ok && next && string(bytes.TrimRight(rest, blanks)) == "}" { // else it is the id of something in the message
			o.id = end.id
		}
	}
	return o
}

// scalars reads the members of an object up to the first one that is neither an integer nor a string, or to the
// object's end, which is the rest then. ok is false if they cannot be those of one JSON-RPC message.
func scalars(text []byte) (o outline, rest []byte, ok bool) {
	for {
		var key []byte
		if key, text, ok = scalar(text); !ok || key[0] != '"' {
			return o, nil, false
		}
		if text, ok = bytes.CutPrefix(bytes.TrimLeft(text, blanks), []byte{':'}); !ok {
			return o, nil, false
		}
		value, rest, is := scalar(text)
		switch string(key) {
		case `"id"`:
			o.id, ok = value, is
		case `"jsonrpc"`:
		case `"method"`, `"params"`:
			o.request, ok = true, !o.answer
		case `"result"`, `"error"`:
			o.answer, ok = true, !o.answer && !o.request
		default:
			ok = false
		}
		if !ok || !is {
			return o, nil, ok
		}
		rest = bytes.TrimLeft(rest, blanks)
		if text, ok = bytes.CutPrefix(rest, []byte{','}); !ok {
			return o, rest, bytes.HasPrefix(rest, []byte{'}'})
		}
	}
}

const blanks = " \t\r\n"

// scalar splits an integer or a string from the beginning of a JSON text.
func scalar(text []byte) (value, rest []byte, ok bool) {
	text = bytes.TrimLeft(text, blanks)
	if len(text) == 0 {
		return nil, nil, false
	}
	if text[0] == '"' {
		for i := 1; i < len(text); i++ {
			switch text[i] {
			case '\\':
				i++
			case '"':
				return text[:i+1], text[i+1:], true
			}
		}
		return nil, nil, false
	}
	end := 0
	for end < len(text) && (text[end] == '-' || text[end] >= '0' && text[end] <= '9') {
		end++
	}
	return text[:end], text[end:], end > 0
}
