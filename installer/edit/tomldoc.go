package edit

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"wsi/harnesses/setup"
)

// tomlDocument is a TOML file in its original bytes. After each change only the intended value may differ.
type tomlDocument struct {
	mark string
	text []byte
}

func openDocument(content []byte) (*tomlDocument, error) {
	d := &tomlDocument{text: bytes.TrimPrefix(content, []byte(bom))}
	if len(d.text) < len(content) {
		d.mark = bom
	}
	_, err := setup.DecodeTOML(d.text)
	return d, err
}

func (d *tomlDocument) bytes() []byte {
	return append([]byte(d.mark), d.text...)
}

var errUnsafe = errors.New("wsi cannot safely change this file as it is written")

// commit accepts a changed text if its tree equals the old one after intend.
func (d *tomlDocument) commit(changed []byte, intend func(tree map[string]any)) error {
	want, err := setup.DecodeTOML(d.text)
	if err != nil {
		return err
	}
	got, err := setup.DecodeTOML(changed)
	if err != nil {
		return errors.Join(errUnsafe, err)
	}
	intend(want)
	if !reflect.DeepEqual(normal(got), normal(want)) {
		return errUnsafe
	}
	d.text = changed
	return nil
}

// normal makes NaN equal to itself, and an empty table "hooks" equal to none: a table without a header of its own
// disappears with the last of its lists.
func normal(v any) any {
	switch v := v.(type) {
	case float64:
		if math.IsNaN(v) {
			return "NaN"
		}
	case []any:
		for i := range v {
			v[i] = normal(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = normal(v[key])
			if t, ok := v[key].(map[string]any); ok && len(t) == 0 && (key == "hooks" || key == "state") {
				delete(v, key)
			}
		}
	}
	return v
}

func (d *tomlDocument) newline() string {
	if i := bytes.IndexByte(d.text, '\n'); i > 0 && d.text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// block returns the text with lines added at its end, after an empty line. If the last line had no line break, the new
// one has none either; cutItems relies on that.
func (d *tomlDocument) block(lines ...string) []byte {
	nl := d.newline()
	text := slices.Clone(d.text)
	end := nl
	if d.open() {
		text, end = append(text, nl...), ""
	}
	if len(text) > 0 {
		text = append(text, nl...)
	}
	return append(text, strings.Join(lines, nl)+end...)
}

// open reports whether the last line has no line break.
func (d *tomlDocument) open() bool {
	return len(d.text) > 0 && d.text[len(d.text)-1] != '\n'
}

// find returns the value at path, written as such.
func find(list []item, path []string) (v node, ok bool) {
	for _, it := range list {
		if it.kind != unstable.KeyValue || len(it.path) > len(path) || !slices.Equal(it.path, path[:len(it.path)]) {
			continue
		}
		if v, _, _, ok := it.value.member(path[len(it.path):]); ok {
			return v, true
		}
	}
	return node{}, false
}

// header returns the place of the table header of exactly this path.
func header(list []item, path []string) (int, bool) {
	i := slices.IndexFunc(list, func(it item) bool {
		return it.kind != unstable.KeyValue && slices.Equal(it.path, path)
	})
	return i, i >= 0
}

func below(path, table []string) bool {
	return len(path) >= len(table) && slices.Equal(path[:len(table)], table)
}

// assign returns the text with a key of an existing table set to a raw value.
func (d *tomlDocument) assign(table []string, key, raw string) ([]byte, error) {
	list, err := items(d.text)
	if err != nil {
		return nil, err
	}
	if v, ok := find(list, append(slices.Clone(table), key)); ok {
		return splice(d.text, cut{v.start, v.end, raw}), nil
	}
	member := quoteAll([]string{key})[0] + " = " + raw
	if v, ok := find(list, table); ok {
		return d.extend(v, member), nil
	}
	at, ok := header(list, table)
	if ok {
		for at+1 < len(list) && list[at+1].kind == unstable.KeyValue {
			at++
		}
		return d.line(list[at], member), nil
	}
	// The table exists only through dotted keys: add one.
	at = slices.IndexFunc(list, func(it item) bool {
		return it.kind == unstable.KeyValue && len(it.path) > len(table) && it.table < len(table) && below(it.path, table)
	})
	if at < 0 {
		return nil, errUnsafe
	}
	prefix := strings.Join(quoteAll(table[list[at].table:]), ".")
	return d.line(list[at], prefix+"."+member), nil
}

// line returns the text with a line inserted after an item's, with the same indentation.
func (d *tomlDocument) line(it item, text string) []byte {
	start := bytes.LastIndexByte(d.text[:it.start], '\n') + 1
	indent := string(d.text[start:it.start])
	end := d.lineEnd(it.end)
	if end == len(d.text) && d.open() {
		return splice(d.text, cut{end, end, d.newline() + indent + text})
	}
	return splice(d.text, cut{end, end, indent + text + d.newline()})
}

// lineEnd returns the start of the next line.
func (d *tomlDocument) lineEnd(i int) int {
	if n := bytes.IndexByte(d.text[i:], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(d.text)
}

// extend returns the text with an element or member added to an inline value.
func (d *tomlDocument) extend(v node, text string) []byte {
	inner := string(d.text[v.start+1 : v.end-1])
	if len(v.kids) == 0 && strings.TrimSpace(inner) == "" {
		if v.kind == unstable.InlineTable {
			text = " " + text + " "
		}
		return splice(d.text, cut{v.start + 1, v.end - 1, text})
	}
	if len(v.kids) == 0 {
		end := v.start + 1 + len(strings.TrimRight(inner, " \t\r\n"))
		return splice(d.text, cut{end, end, d.newline() + text})
	}
	last := v.kids[len(v.kids)-1]
	comma := comma(d.text, last.val.end, v.end-1)
	separator := cut{last.val.end, last.val.end, ","}
	if comma >= 0 {
		separator = cut{comma, comma + 1, ","}
	}
	start := bytes.LastIndexByte(d.text[:last.at], '\n') + 1
	indent := string(d.text[start:last.at])
	if start > v.start && strings.Trim(indent, " \t") == "" {
		text = d.newline() + indent + text
		if comma >= 0 {
			text += ","
		}
		end := v.start + 1 + len(strings.TrimRight(inner, " \t\r\n"))
		return splice(d.text, separator, cut{end, end, text})
	}
	separator.with = ", " + text
	if comma >= 0 {
		separator.with += ","
	}
	return splice(d.text, separator)
}

// comma returns the index of a comma before the next value or the end.
func comma(text []byte, from, end int) int {
	for i := from; i < end; i++ {
		switch text[i] {
		case ',':
			return i
		case '#':
			for i+1 < end && text[i+1] != '\n' {
				i++
			}
		case ' ', '\t', '\r', '\n':
		default:
			return -1
		}
	}
	return -1
}

// without returns the text without the kid at i of an inline value.
func (d *tomlDocument) without(v node, i int) []byte {
	k := v.kids[i]
	next := comma(d.text, k.val.end, v.end-1)
	start := bytes.LastIndexByte(d.text[:k.at], '\n') + 1
	ownLine := start > v.start && strings.TrimSpace(string(d.text[start:k.at])) == ""
	from := k.at
	if ownLine {
		from = start - 1
		if from > 0 && d.text[from-1] == '\r' {
			from--
		}
	}
	switch {
	case next >= 0 && ownLine:
		return splice(d.text, cut{from, k.val.end, ""}, cut{next, next + 1, ""})
	case next >= 0 && i+1 < len(v.kids):
		return splice(d.text, cut{k.at, v.kids[i+1].at, ""})
	case i > 0:
		before := comma(d.text, v.kids[i-1].val.end, k.at)
		if next >= 0 {
			return splice(d.text, cut{before + 1, next + 1, ""})
		}
		if !ownLine {
			from = before + 1 + len(bytes.TrimRight(d.text[before+1:k.at], " \t"))
		}
		return splice(d.text, cut{before, before + 1, ""}, cut{from, k.val.end, ""})
	}
	end := k.val.end
	if next >= 0 {
		end = next + 1
	}
	rest := string(d.text[v.start+1:from]) + string(d.text[end:v.end-1])
	if strings.TrimSpace(rest) == "" {
		rest = ""
	}
	return splice(d.text, cut{v.start + 1, v.end - 1, rest})
}

// cutItems returns the text without all items below a path: their lines, the text between them, and an empty line before
// each run of them.
func (d *tomlDocument) cutItems(list []item, path []string) []byte {
	var cuts []cut
	for i := 0; i < len(list); i++ {
		if !below(list[i].path, path) {
			continue
		}
		start := bytes.LastIndexByte(d.text[:list[i].start], '\n') + 1
		if list[i].kind != unstable.KeyValue {
			start = d.emptyLineBefore(start)
		}
		for i+1 < len(list) && below(list[i+1].path, path) {
			i++
		}
		end := d.lineEnd(list[i].end)
		if end == len(d.text) && d.open() {
			start = d.endOfLineBefore(start)
		}
		cuts = append(cuts, cut{start, end, ""})
	}
	return splice(d.text, cuts...)
}

// endOfLineBefore returns the end, without the line break, of the line that ends at start.
func (d *tomlDocument) endOfLineBefore(start int) int {
	return len(bytes.TrimSuffix(bytes.TrimSuffix(d.text[:start], []byte("\n")), []byte("\r")))
}

func (d *tomlDocument) emptyLineBefore(start int) int {
	before := d.text[:start]
	switch {
	case bytes.HasSuffix(before, []byte("\r\n\r\n")), string(before) == "\r\n":
		return start - 2
	case bytes.HasSuffix(before, []byte("\n\n")), string(before) == "\n":
		return start - 1
	}
	return start
}
