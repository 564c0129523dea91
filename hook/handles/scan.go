package handles

import (
	"wsi/internal/rawjson"
)

// Limits of one scan. What is beyond them is not looked at.
const (
	maxPerScan = 256     // ids
	maxText    = 1 << 20 // bytes of a text that is not JSON
	maxDepth   = 32
)

// Seen is an id at a place of a result or of a call's arguments.
type Seen struct {
	ID    string
	Field string // the name of the member that has it, "" in a text
	Shape Shape
}

// InResult returns the ids of a result: its structured content and its texts, each raw JSON. A text that is
// JSON is read as such. except reports whether a value belongs to a rule that keeps it secret.
func InResult(structured []byte, texts [][]byte, except func(id string) bool) []Seen {
	s := scan{except: except}
	s.value("", structured, 0)
	for _, raw := range texts {
		text, ok := rawjson.Unquote(raw)
		if !ok {
			continue
		}
		if doc := []byte(text); rawjson.Valid(doc) {
			s.value("", doc, 0)
		} else {
			s.text(text[:min(len(text), maxText)])
		}
	}
	return s.found
}

// InArguments returns the strings and numbers among a call's arguments. What is not an id has no Shape: a member
// that takes other things than ids is known by that. Parts of a text, a path or a query do not count.
func InArguments(args []byte, except func(id string) bool) []Seen {
	s := scan{except: except, whole: true}
	s.value("", args, 0)
	return s.found
}

type scan struct {
	except func(id string) bool
	whole  bool // only whole strings
	found  []Seen
}

// value scans a raw JSON value that is in a member of this name.
func (s *scan) value(field string, raw []byte, depth int) {
	if len(raw) == 0 || depth > maxDepth || len(s.found) >= maxPerScan {
		return
	}
	switch first(raw) {
	case '{':
		members, err := rawjson.Object(raw)
		if err != nil {
			return
		}
		for _, m := range members {
			if name, ok := rawjson.Unquote(m.Key); ok && !Sensitive(name) {
				s.value(name, m.Value, depth+1)
			}
		}
	case '[':
		elements, err := rawjson.Array(raw)
		if err != nil {
			return
		}
		for _, element := range elements {
			s.value(field, element, depth+1)
		}
	case '"':
		text, ok := rawjson.Unquote(raw)
		switch {
		case !ok:
		case s.whole || len(text) <= maxLength && !hasBlank(text):
			s.add(field, text)
		default:
			s.text(text[:min(len(text), maxText)])
		}
	default: // a number may be an id, too
		if s.whole || len(raw) >= minLength {
			s.add(field, string(raw))
		}
	}
}

// text scans the words of a text.
func (s *scan) text(text string) {
	begin := -1
	for i := 0; i <= len(text); i++ {
		if i < len(text) && inWord(text[i]) {
			if begin < 0 {
				begin = i
			}
			continue
		}
		// Part of a path, an address or a file's name is not an id.
		if begin >= 0 && (begin == 0 || !joins(text[begin-1])) && (i == len(text) || !joins(text[i]) || ends(text[i:])) {
			s.add("", text[begin:i])
		}
		begin = -1
	}
}

func (s *scan) add(field, id string) {
	shape, ok := ShapeOf(id)
	if !ok && (!s.whole || len(id) > maxLength) || len(s.found) >= maxPerScan || s.except != nil && s.except(id) {
		return
	}
	if !ok {
		shape = Shape{}
	}
	s.found = append(s.found, Seen{ID: id, Field: nameOf(field), Shape: shape})
}

// ends reports whether a character that joins words ends a sentence here.
func ends(rest string) bool {
	return rest[0] == '.' && (len(rest) == 1 || rest[1] == ' ' || rest[1] == '\n')
}

func joins(b byte) bool {
	return b == '/' || b == '\\' || b == '.' || b == '@' || b == '%' || b == '+' || b == '~'
}

func inWord(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b == '_' || b == '-'
}

func hasBlank(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' {
			return true
		}
	}
	return false
}

func first(raw []byte) byte {
	for _, b := range raw {
		if b > ' ' {
			return b
		}
	}
	return 0
}

// maxName bounds a name from outside, in bytes.
const maxName = 48

// nameOf returns a name from outside if it is one that can be shown to a model, else "".
func nameOf(s string) string {
	if len(s) > maxName {
		return ""
	}
	for i := range len(s) {
		if !inWord(s[i]) && s[i] != '.' {
			return ""
		}
	}
	return s
}
