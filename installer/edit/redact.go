package edit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"wsi/harnesses/setup"
	"wsi/internal/secret"
)

// secretTables are the keys under which harnesses have headers and variables: their values may be secrets, not their names.
var secretTables = []string{"env", "environment", "env_vars", "headers", "http_headers"}

// hidden is one secret in a file.
type hidden struct {
	span
	value string // decoded
	whole bool   // the span includes the quotes
}

// Mask returns two versions of a file to show, with stars in place of possible secrets: the values of headers and variables,
// and what [secret.In] finds in other texts and comments. Equal values get equal stars and different values different stars,
// so that the same lines differ as in the file. A value that only the second version has is not masked: it is the change.
func Mask(format setup.Format, before, after []byte) (maskedBefore, maskedAfter []byte) {
	was, is := secrets(format, before), secrets(format, after)
	known := map[string]bool{}
	for _, s := range was {
		known[s.value] = true
	}
	is = slices.DeleteFunc(is, func(s hidden) bool { return !known[s.value] })
	stars := map[string]string{} // by raw text
	cover := func(text []byte, all []hidden) []byte {
		var cuts []cut
		for _, s := range all {
			raw := string(text[s.start:s.end])
			if stars[raw] == "" {
				stars[raw] = starsFor(raw, s.whole, len(stars)+1)
			}
			cuts = append(cuts, cut{s.start, s.end, stars[raw]})
		}
		if cuts == nil {
			return text
		}
		return splice(text, cuts...)
	}
	return cover(before, was), cover(after, is)
}

// starsFor returns stars with the quotes and line breaks of the raw text.
func starsFor(raw string, whole bool, n int) string {
	star := "***"
	if n > 1 {
		star += strconv.Itoa(n)
	}
	lines := strings.Split(raw, "\n")
	switch {
	case len(lines) == 1 && whole:
		return raw[:1] + star + raw[len(raw)-1:]
	case len(lines) == 1:
		return star
	}
	for i := range lines {
		lines[i] = star + "." + strconv.Itoa(i+1)
	}
	return strings.Join(lines, "\n")
}

// secrets returns the places of the values, in order; none for a file that cannot be parsed.
func secrets(format setup.Format, content []byte) []hidden {
	if format == setup.JSON {
		format = setup.JSONC
	}
	d, err := openDocument(format, content)
	if err != nil || len(d.mark)+len(d.text) != len(content) { // it was empty
		return nil
	}
	s := search{content: d.text}
	for _, it := range d.items {
		s.value(it.path, it.value)
	}
	start := 0
	for line := range bytes.Lines(d.remarks()) {
		if comment := bytes.TrimSpace(line); len(comment) > 0 {
			from := start + bytes.Index(line, comment)
			s.inText(span{}, string(comment), from, secret.In(string(comment))) // it has no escapes
		}
		start += len(line)
	}
	for i := range s.found {
		s.found[i].start += len(d.mark)
		s.found[i].end += len(d.mark)
	}
	slices.SortFunc(s.found, func(a, b hidden) int { return cmp.Compare(a.start, b.start) })
	return s.found
}

// search walks through a file.
type search struct {
	content []byte
	found   []hidden
}

// value checks the strings in a value. Of its path only the last keys matter.
func (s *search) value(path []string, v node) {
	if v.kind == kindText {
		s.member(path, v.span)
	}
	var elements []span // an empty one is not a string
	for _, k := range v.kids {
		if v.kind == kindList && k.val.kind == kindText {
			elements = append(elements, k.val.span)
			continue
		}
		s.value(append(path[max(0, len(path)-1):len(path):len(path)], k.key...), k.val)
		elements = append(elements, span{})
	}
	if v.kind == kindList {
		s.list(elements)
	}
}

// member checks a string that is the value of the last of these keys.
func (s *search) member(path []string, at span) {
	value, first := s.text(at)
	last := len(path) - 1
	tabled := last > 0 && slices.Contains(secretTables, path[last-1])
	named := last >= 0 && secret.Name(path[last]) && !secret.Weak(path[last])
	if tabled || named && !secret.Reference(value) {
		s.found = append(s.found, hidden{at, value, true})
		return
	}
	s.inText(at, value, first, secret.In(value))
}

// list checks a list of strings as a command line. An empty span is an element that is not a string.
func (s *search) list(elements []span) {
	words, first := make([]string, len(elements)), make([]int, len(elements))
	for i, at := range elements {
		words[i], first[i] = s.text(at)
	}
	for i, spans := range secret.InWords(words) {
		s.inText(elements[i], words[i], first[i], spans)
	}
}

// inText adds spans of a string, of which the first character is at first. One with escapes is hidden as a whole.
func (s *search) inText(at span, text string, first int, spans []secret.Span) {
	if len(spans) > 0 && first < 0 {
		s.found = append(s.found, hidden{at, text, true})
		return
	}
	for _, one := range spans {
		s.found = append(s.found, hidden{span{first + one.Start, first + one.End}, text[one.Start:one.End], false})
	}
}

// text decodes a string of JSON or TOML, and returns where its first character is in the file, -1 if it has escapes.
func (s *search) text(at span) (value string, first int) {
	raw := string(s.content[at.start:at.end])
	quotes := min(len(raw), 1)
	if len(raw) >= 6 && (strings.HasPrefix(raw, `"""`) || strings.HasPrefix(raw, "'''")) {
		quotes = 3
	}
	if raw == "" || raw[0] != '"' || !strings.Contains(raw, `\`) {
		return raw[quotes:max(len(raw)-quotes, quotes)], at.start + quotes
	}
	if json.Unmarshal([]byte(raw), &value) != nil {
		tree, _ := setup.DecodeTOML([]byte("x = " + raw)) // it was decoded before
		value, _ = tree["x"].(string)
	}
	return value, -1
}

// MaskSecrets returns a text of another program, such as a command line, with stars in place of possible secrets.
func MaskSecrets(text string) string {
	return secret.Replace(text, secret.In(text), "***")
}

// MaskEntry returns an entry of a file, an object in JSON or a table in TOML, with stars in place of possible secrets and
// of the values of all headers and variables.
func MaskEntry(entry string) string {
	format, name := setup.JSON, ""
	if _, err := setup.DecodeTOML([]byte(entry)); err == nil {
		format = setup.TOML
	} else if _, err := setup.DecodeTOML([]byte("x = " + entry)); err == nil { // an inline table
		format, name = setup.TOML, "x = "
	}
	masked, _ := Mask(format, []byte(name+entry), nil)
	return MaskSecrets(strings.TrimPrefix(string(masked), name))
}
