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
	kept  int  // members and elements that are kept in Inner
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

func (s *scanner) value(depth int) error {
	s.space()
	switch c := s.peek(); {
	case c == '"':
		return s.str()
	case c == '{' || c == '[':
		return s.items(depth+1, nil, nil)
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

// whole scans a document that is an object or an array, which begins with open. path and found are those of items.
func (s *scanner) whole(open byte, path []string, found func(Member)) error {
	s.space()
	if s.peek() != open {
		if s.value(0) == nil && s.finish() == nil {
			return ErrKind
		}
		return ErrSyntax
	}
	if err := s.items(1, path, found); err != nil {
		return err
	}
	return s.finish()
}

// items scans an object or an array. It calls found, unless it is nil, with each member or element. path is that of [Object].
func (s *scanner) items(depth int, path []string, found func(Member)) error {
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
		m := Member{At: s.i}
		if isObject {
			if s.peek() != '"' || s.str() != nil {
				return ErrSyntax
			}
			m.Key = s.b[m.At:s.i]
			if s.space(); s.peek() != ':' {
				return ErrSyntax
			}
			s.i++
			s.space()
		}
		m.Start = s.i
		var err error
		if len(path) > 0 && m.Is(path[0]) {
			m.Inner, err = s.inner(depth+1, path[1:])
		} else {
			err = s.value(depth)
		}
		switch {
		case err != nil:
			return err
		case n > maxItems && depth == 1 && found != nil:
			return ErrSyntax
		case found != nil:
			m.Value, m.End = s.b[m.Start:s.i], s.i
			found(m)
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

// inner scans a value and returns its members or elements. They are nil if there are too many in it or in the document, and for
// an array into which path does not lead.
func (s *scanner) inner(depth int, path []string) (all Members, err error) {
	if c := s.peek(); c != '{' && (c != '[' || len(path) == 0) {
		return nil, s.value(depth - 1)
	}
	err = s.items(depth, path, func(m Member) {
		if s.kept++; len(all) <= maxItems && s.kept <= maxKept {
			all = append(all, m)
		}
	})
	if len(all) > maxItems || s.kept > maxKept {
		all = nil
	}
	return all, err
}

// plainPrefix returns the number of bytes before the first quote, backslash or control character in b. It
// compares eight bytes at a time, because results are large and mostly text.
func plainPrefix(b []byte) int {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		if s := special(b[i:]); s != 0 {
			return i + bits.TrailingZeros64(s)/8
		}
		for i >= 120 && i+40 <= len(b) { // a long text, so 32 bytes at a time
			w := b[i+8 : i+40]
			if special(w)|special(w[8:])|special(w[16:])|special(w[24:]) != 0 {
				break
			}
			i += 32
		}
	}
	for i < len(b) && b[i] >= ' ' && b[i] != '"' && b[i] != '\\' {
		i++
	}
	return i
}

// special sets the high bit of the first quote, backslash or control character in the first eight bytes of b, and clears those
// before it. A borrow can set the bits of later bytes, too.
func special(b []byte) uint64 {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	x := binary.LittleEndian.Uint64(b)
	return ((x - ones*' ') | (x ^ ones*'"' - ones) | (x ^ ones*'\\' - ones)) &^ x & highs
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
