package learn

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"wsi/hook/carry"
	"wsi/hook/handles"
	"wsi/internal/rawjson"
)

// value is a value at a place of a result or of a call's arguments.
type value struct {
	value string
	id    bool   // it looks like an id; one that is drawn at random does not always
	name  string // of the member that has it
	path  carry.Path
}

// Limits of one scan. What is beyond them is not looked at.
const (
	maxFound = 512
	maxDepth = 8
	maxWord  = 128 // bytes
	maxName  = 64  // bytes of a name of a server, a tool or a member
)

// inResult returns the strings of one word in a result's structured content, and in texts that are JSON.
func inResult(r carry.Result) []value {
	s := scan{words: true, arrays: true}
	s.value("", "", r.Structured, 0)
	for _, block := range r.Blocks {
		if text, ok := rawjson.Unquote(block.Text); ok && rawjson.Valid([]byte(text)) {
			s.value("", "", []byte(text), 0)
		}
	}
	return s.found
}

// inArguments returns all strings, numbers and the like among a call's arguments: what is no id contradicts.
func inArguments(args []byte) []value {
	var s scan
	s.value("", "", args, 0)
	return s.found
}

type scan struct {
	words  bool // only strings of one word
	arrays bool // also the elements of arrays
	found  []value
}

// value scans a raw JSON value at a path, in a member of this name.
func (s *scan) value(path carry.Path, name string, raw []byte, depth int) {
	if depth > maxDepth || len(s.found) >= maxFound {
		return
	}
	switch trimmed := strings.TrimLeft(string(raw[:min(len(raw), 64)]), " \t\r\n"); {
	case trimmed == "", trimmed[0] == 'n':
	case trimmed[0] == '{':
		s.object(path, raw, depth)
	case trimmed[0] == '[' && s.arrays:
		elements, err := rawjson.Array(raw)
		if err != nil || strings.HasSuffix(string(path), "]") {
			return // a rule cannot name it
		}
		for _, element := range elements {
			s.value(path+"[]", name, element, depth+1)
		}
	case path == "" || path == "[]":
	case trimmed[0] == '"':
		text, ok := rawjson.Unquote(raw)
		if ok && text != "" && (!s.words || len(text) <= maxWord && !strings.ContainsAny(text, " \t\r\n")) {
			_, id := handles.ShapeOf(text)
			s.found = append(s.found, value{text, id, name, path})
		}
	case !s.words:
		s.found = append(s.found, value{string(raw), false, name, path})
	}
}

func (s *scan) object(path carry.Path, raw []byte, depth int) {
	members, err := rawjson.Object(raw)
	if err != nil {
		return
	}
	for _, m := range members {
		name, ok := rawjson.Unquote(m.Key)
		if !ok || !plainName(name) || strings.ContainsAny(name, ".[]") || handles.Sensitive(name) {
			continue
		}
		inner := carry.Path(name)
		if path != "" {
			inner = path + "." + inner
		}
		s.value(inner, name, m.Value, depth+1)
	}
}

// plainName reports whether a name from outside can stand in a rule file.
func plainName(name string) bool {
	return name != "" && name != "*" && len(name) <= maxName && utf8.ValidString(name) &&
		!strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
}
