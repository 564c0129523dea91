package rawjson

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// scanner reads a document from i on.
type scanner struct {
	b     []byte
	i     int
	known bool // b is known to be valid
}

func (s *scanner) space() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\t', '\n', '\r':
			s.i++
		default:
			return
		}
	}
}

// peek returns the current byte, 0 at the end.
func (s *scanner) peek() byte {
	if s.i < len(s.b) {
		return s.b[s.i]
	}
	return 0
}

func (s *scanner) finish() error {
	s.space()
	if s.i != len(s.b) {
		return ErrSyntax
	}
	return nil
}

// kindError returns ErrKind if the document is valid, else ErrSyntax.
func (s *scanner) kindError() error {
	if s.value(0) == nil && s.finish() == nil {
		return ErrKind
	}
	return ErrSyntax
}

func (s *scanner) value(depth int) error {
	s.space()
	switch c := s.peek(); {
	case c == '"':
		return s.str()
	case c == '{' || c == '[':
		return s.items(depth+1, nil)
	case c == '-' || c >= '0' && c <= '9':
		return s.number()
	case c == 't':
		return s.word("true")
	case c == 'f':
		return s.word("false")
	case c == 'n':
		return s.word("null")
	}
	return ErrSyntax
}

// whole scans a document that is an object or an array, which begins with open. found is that of items.
func (s *scanner) whole(open byte, found func(key, keyEnd, start, end int)) error {
	s.space()
	if s.peek() != open {
		return s.kindError()
	}
	if err := s.items(1, found); err != nil {
		return err
	}
	return s.finish()
}

// items scans an object or an array. It calls found, unless it is nil, with the offsets of each member or element; an element has
// no key.
func (s *scanner) items(depth int, found func(key, keyEnd, start, end int)) error {
	if depth > maxDepth {
		return ErrSyntax
	}
	isObject, closing := s.peek() == '{', byte(']')
	if isObject {
		closing = '}'
	}
	s.i++
	if s.space(); s.peek() == closing {
		s.i++
		return nil
	}
	for n := 1; ; n++ {
		s.space()
		key, keyEnd := s.i, s.i
		if isObject {
			if s.peek() != '"' || s.str() != nil {
				return ErrSyntax
			}
			keyEnd = s.i
			if s.space(); s.peek() != ':' {
				return ErrSyntax
			}
			s.i++
			s.space()
		}
		start := s.i
		if err := s.value(depth); err != nil {
			return err
		}
		if found != nil {
			if n > maxItems {
				return ErrSyntax
			}
			found(key, keyEnd, start, s.i)
		}
		s.space()
		switch s.peek() {
		case ',':
			s.i++
		case closing:
			s.i++
			return nil
		default:
			return ErrSyntax
		}
	}
}

// plainPrefix returns the number of bytes before the first quote, backslash or control character in b. It
// compares eight bytes at a time, because results are large and mostly text.
func plainPrefix(b []byte) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		quote, slash := x^(ones*'"'), x^(ones*'\\')
		// The high bit of a byte is set if the byte is below ' ', a quote or a backslash. A borrow can set
		// the bits of later bytes too, so only the first set bit counts.
		special := ((x-ones*' ')&^x | (quote-ones)&^quote | (slash-ones)&^slash) & highs
		if special != 0 {
			return i + bits.TrailingZeros64(special)/8
		}
	}
	for i < len(b) && b[i] >= ' ' && b[i] != '"' && b[i] != '\\' {
		i++
	}
	return i
}

// isPlain reports whether b, within a JSON string, is ASCII without escapes.
func isPlain(b []byte) bool {
	if plainPrefix(b) != len(b) {
		return false
	}
	const highs = 0x8080808080808080
	for ; len(b) >= 8; b = b[8:] {
		if binary.LittleEndian.Uint64(b)&highs != 0 {
			return false
		}
	}
	for _, c := range b {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

// rest moves to the end of a string in a valid document.
func (s *scanner) rest() error {
	for i := s.i + 1; ; {
		n := bytes.IndexByte(s.b[i:], '"')
		if n < 0 {
			return ErrSyntax
		}
		slashes := 0
		for i+n-slashes-1 > s.i && s.b[i+n-slashes-1] == '\\' {
			slashes++
		}
		i += n + 1
		if slashes%2 == 0 {
			s.i = i
			return nil
		}
	}
}

func (s *scanner) str() error {
	if s.known {
		return s.rest()
	}
	b, i := s.b, s.i+1
	for {
		if i += plainPrefix(b[i:]); i >= len(b) {
			return ErrSyntax
		}
		switch b[i] {
		case '"':
			s.i = i + 1
			return nil
		case '\\':
			if i+1 >= len(b) {
				return ErrSyntax
			}
			switch b[i+1] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
				i += 2
			case 'u':
				if i+6 > len(b) || !isHex(b[i+2:i+6]) {
					return ErrSyntax
				}
				i += 6
			default:
				return ErrSyntax
			}
		default:
			return ErrSyntax
		}
	}
}

func isHex(b []byte) bool {
	for _, c := range b {
		if !(c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f') {
			return false
		}
	}
	return true
}

func (s *scanner) word(w string) error {
	if len(s.b)-s.i < len(w) || string(s.b[s.i:s.i+len(w)]) != w {
		return ErrSyntax
	}
	s.i += len(w)
	return nil
}

func (s *scanner) number() error {
	if s.peek() == '-' {
		s.i++
	}
	switch c := s.peek(); {
	case c == '0':
		s.i++
	case c >= '1' && c <= '9':
		s.digits()
	default:
		return ErrSyntax
	}
	if s.peek() == '.' {
		s.i++
		if !s.digits() {
			return ErrSyntax
		}
	}
	if s.peek()|0x20 == 'e' {
		s.i++
		if c := s.peek(); c == '+' || c == '-' {
			s.i++
		}
		if !s.digits() {
			return ErrSyntax
		}
	}
	return nil
}

func (s *scanner) digits() bool {
	start := s.i
	for s.i < len(s.b) && s.b[s.i] >= '0' && s.b[s.i] <= '9' {
		s.i++
	}
	return s.i > start
}
