package wire

import "wsi/internal/rawjson"

// Pieces finds the id and the method of a message that comes in pieces, because it is too long to be read
// whole.
type Pieces struct {
	depth           int
	text, escaped   bool // in a string, and after a backslash in it
	value           bool // after a colon in the outermost object
	key, id, method []byte
}

const maxWord = 256

// Add adds the next piece.
func (p *Pieces) Add(piece []byte) {
	for _, c := range piece {
		p.add(c)
	}
}

func (p *Pieces) add(c byte) {
	outer := p.depth == 1
	switch {
	case !p.text && (c == ' ' || c == '\t' || c == '\r' || c == '\n'):
		return
	case p.text:
		p.text = p.escaped || c != '"'
		p.escaped = c == '\\' && !p.escaped
	case c == '"':
		p.text = true
		if outer && !p.value {
			p.key = p.key[:0]
		}
	case c == '{' || c == '[':
		p.depth++
	case c == '}' || c == ']':
		p.depth--
	case outer && c == ':':
		p.value = true
		return
	case outer && c == ',':
		p.value = false
		return
	}
	if outer && p.depth == 1 {
		p.word(c)
	}
}

// word keeps a character of the outermost object.
func (p *Pieces) word(c byte) {
	into := &p.key
	switch {
	case p.value && string(p.key) == `"id"`:
		into = &p.id
	case p.value && string(p.key) == `"method"`:
		into = &p.method
	case p.value:
		return
	}
	if len(*into) < maxWord {
		*into = append(*into, c)
	}
}

// Request returns the raw id if the message is a request, else nil.
func (p *Pieces) Request() (id []byte) {
	if len(p.method) == 0 || len(p.id) >= maxWord || !rawjson.Valid(p.id) || string(p.id) == "null" {
		return nil
	}
	return p.id
}
