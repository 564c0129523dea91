package handles

import (
	"bytes"
	"slices"

	"wsi/internal/rawjson"
)

// Limits of one scan. What is beyond them is not looked at.
const (
	maxPerScan = 256       // ids
	maxText    = 256 << 10 // bytes of a text that is not JSON
	maxDepth   = 64
)

// Seen is an id at a place of a result or of a call's arguments.
type Seen struct {
	ID    string
	Field string // the name of the member that has it, "" in a text that is not JSON
	Shape Shape
}

// InResult returns the ids of a result: its structured content and its texts, each raw JSON. A text that is
// JSON is read as such. except reports whether a value belongs to a rule that keeps it secret; nil: none does.
func InResult(structured []byte, texts [][]byte, except func(id string) bool) []Seen {
	s := scan{except: except}
	s.json(structured)
	for _, raw := range texts {
		text, ok := rawjson.Unquote(beginning(raw))
		if !ok {
			continue
		}
		if doc := []byte(text); !s.json(doc) {
			s.levels = nil
			s.text(doc)
		}
	}
	return s.found
}

// beginning returns as much of a raw string as is looked at: all of a document.
func beginning(raw []byte) []byte {
	begin := bytes.TrimLeft(raw[:min(len(raw), 32)], `" \ntr`)
	if len(raw) <= maxText || len(begin) > 0 && (begin[0] == '{' || begin[0] == '[') {
		return raw
	}
	end := maxText
	for end > maxText-2*maxLength && inWord[raw[end-1]] { // half of an id is none
		end--
	}
	if at := bytes.LastIndexByte(raw[end-6:end], '\\'); at >= 0 {
		end += at - 6 // before an escape, or between two of them
		for raw[end-1] == '\\' {
			end--
		}
	}
	return append(raw[:end:end], '"')
}

// InArguments returns the strings and numbers among a call's arguments. What is not an id has no Shape: a member
// that takes other things than ids is known by that. Parts of a text, a path or a query do not count.
func InArguments(args []byte, except func(id string) bool) []Seen {
	s := scan{except: except, whole: true}
	s.json(args)
	return s.found
}

type scan struct {
	except func(id string) bool
	whole  bool    // only whole strings
	levels []level // of the document, the first one around it
	found  []Seen
}

// level is an object or array that a scan is in.
type level struct {
	object bool
	wants  bool   // the next string is a key
	key    []byte // raw, of the value; nil in an array
}

// json scans a document in one pass. It reports whether the document is JSON; if not, it has found nothing.
func (s *scan) json(doc []byte) bool {
	before := len(s.found)
	if s.walk(doc) {
		return true
	}
	s.found = s.found[:before]
	return false
}

// walk is lenient about commas and colons: what is JSON but for these is no text, either.
func (s *scan) walk(doc []byte) bool {
	s.levels = append(s.levels[:0], level{})
	values := 0
	for i := 0; i < len(doc) && len(s.found) < maxPerScan; {
		at := &s.levels[len(s.levels)-1]
		switch c := doc[i]; c {
		case ' ', '\t', '\r', '\n', ':':
			i++
			continue
		case ',':
			at.wants = at.object
			i++
			continue
		case '{', '[':
			if len(s.levels) > maxDepth {
				return true // the rest is not looked at
			}
			s.levels = append(s.levels, level{object: c == '{', wants: c == '{'})
			i++
			continue
		case '}', ']':
			if len(s.levels) == 1 || at.object != (c == '}') {
				return false
			}
			s.levels = s.levels[:len(s.levels)-1]
			i++
		case '"':
			end := stringEnd(doc, i)
			if end < 0 {
				return false
			}
			raw := doc[i:end]
			i = end
			if at.wants {
				at.wants, at.key = false, raw
				continue
			}
			s.value(raw)
		default:
			end := i + 1
			for end < len(doc) && !isDelimiter(doc[end]) {
				end++
			}
			if !isScalar(doc[i:end]) {
				return false
			}
			s.value(doc[i:end])
			i = end
		}
		if len(s.levels) == 1 {
			if values++; values > 1 {
				return false
			}
		}
	}
	return len(s.found) == maxPerScan || len(s.levels) == 1 && values == 1
}

// field returns the name of the member that has the value, which may be in arrays.
func (s *scan) field() string {
	for _, l := range slices.Backward(s.levels) {
		if l.object {
			return nameIn(l.key)
		}
	}
	return ""
}

// secret reports whether a member around the value has a name of a secret.
func (s *scan) secret() bool {
	return slices.ContainsFunc(s.levels, func(l level) bool { return Sensitive(string(l.key)) })
}

// value looks at a string, a number or a word.
func (s *scan) value(raw []byte) {
	if !s.whole && len(raw) < minLength {
		return
	}
	text := raw
	if raw[0] == '"' {
		text = raw[1 : len(raw)-1]
		if bytes.IndexByte(text, '\\') >= 0 {
			unquoted, ok := rawjson.Unquote(raw)
			if !ok {
				return
			}
			text = []byte(unquoted)
		}
	}
	if s.whole || raw[0] != '"' || len(text) <= maxLength && !hasBlank(text) {
		s.add(text)
		return
	}
	s.text(text)
}

// text scans the words of a text. A word that is long enough for an id has a character at each distance of
// minLength, so that only these are looked at first.
func (s *scan) text(text []byte) {
	done := 0
	for at := minLength - 1; at < len(text); {
		if !inWord[text[at]] {
			at += minLength
			continue
		}
		begin, end := at, at+1
		for begin > done && inWord[text[begin-1]] {
			begin--
		}
		for end < len(text) && inWord[text[end]] {
			end++
		}
		// Part of a path, an address or a file's name is not an id.
		if end-begin >= minLength && (begin == 0 || !joins(text[begin-1])) && (end == len(text) || !joins(text[end]) || endsSentence(text[end:])) {
			s.add(text[begin:end])
		}
		done, at = end, end+minLength
	}
}

func (s *scan) add(text []byte) {
	if len(text) > maxLength && !s.whole || len(s.found) >= maxPerScan {
		return
	}
	id := string(text[:min(len(text), maxLength+1)])
	shape, ok := ShapeOf(id)
	if !ok && (!s.whole || len(id) > maxLength) || s.secret() || s.except != nil && s.except(id) {
		return
	}
	if !ok {
		shape = Shape{}
	}
	s.found = append(s.found, Seen{ID: id, Field: s.field(), Shape: shape})
}

// stringEnd returns the index behind the string that begins at an index, -1 if it does not end.
func stringEnd(doc []byte, at int) int {
	for i := at + 1; ; {
		n := bytes.IndexByte(doc[i:], '"')
		if n < 0 {
			return -1
		}
		i += n + 1
		backslashes := 0
		for doc[i-2-backslashes] == '\\' {
			backslashes++
		}
		if backslashes%2 == 0 {
			return i
		}
	}
}

func isDelimiter(b byte) bool {
	return b <= ' ' || b == ',' || b == ':' || b == '"' || b == '{' || b == '}' || b == '[' || b == ']'
}

// isScalar reports whether a text between delimiters is a number, true, false or null.
func isScalar(text []byte) bool {
	switch string(text) {
	case "true", "false", "null":
		return true
	}
	return len(bytes.Trim(text, "0123456789+-.eE")) == 0
}

// endsSentence reports whether a character that joins words ends a sentence here.
func endsSentence(rest []byte) bool {
	return rest[0] == '.' && (len(rest) == 1 || rest[1] == ' ' || rest[1] == '\n')
}

func joins(b byte) bool {
	return b == '/' || b == '\\' || b == '.' || b == '@' || b == '%' || b == '+' || b == '~'
}

// inWord are the characters of ids.
var inWord = [256]bool{
	'0': true, '1': true, '2': true, '3': true, '4': true, '5': true, '6': true, '7': true, '8': true, '9': true,
	'a': true, 'b': true, 'c': true, 'd': true, 'e': true, 'f': true, 'g': true, 'h': true, 'i': true, 'j': true,
	'k': true, 'l': true, 'm': true, 'n': true, 'o': true, 'p': true, 'q': true, 'r': true, 's': true, 't': true,
	'u': true, 'v': true, 'w': true, 'x': true, 'y': true, 'z': true, '_': true, '-': true,
	'A': true, 'B': true, 'C': true, 'D': true, 'E': true, 'F': true, 'G': true, 'H': true, 'I': true, 'J': true,
	'K': true, 'L': true, 'M': true, 'N': true, 'O': true, 'P': true, 'Q': true, 'R': true, 'S': true, 'T': true,
	'U': true, 'V': true, 'W': true, 'X': true, 'Y': true, 'Z': true,
}

func hasBlank(text []byte) bool {
	for _, b := range text {
		if b <= ' ' {
			return true
		}
	}
	return false
}

// maxName bounds a name from outside, in bytes.
const maxName = 48

// nameIn returns the name in a raw JSON string, as nameOf does.
func nameIn(raw []byte) string {
	if len(raw) < 2 || len(raw) > maxName+2 {
		return ""
	}
	return nameOf(string(raw[1 : len(raw)-1])) // an escaped name has a backslash, which nameOf refuses
}

// nameOf returns a name from outside if it is one that can be shown to a model, else "".
func nameOf(s string) string {
	if len(s) > maxName {
		return ""
	}
	for i := range len(s) {
		if !inWord[s[i]] && s[i] != '.' {
			return ""
		}
	}
	return s
}
