package edit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/jsonc"
	"github.com/tidwall/sjson"
)

// document is a JSON object in its original bytes. Each change is made twice: as a splice that keeps all
// other bytes, and by sjson on a copy without comments. If the results differ in meaning, the document is
// not changed and the change is an error.
type document struct {
	mark     string // the byte order mark, or ""
	text     []byte
	comments bool // comments and trailing commas are allowed

	plainOf, plainText []byte // a text, and what [document.plain] returned for it
}

// parse must refuse everything that sjson would replace or damage without an error.
func parse(content []byte, comments bool) (*document, error) {
	d := &document{text: bytes.TrimPrefix(content, []byte(bom)), comments: comments}
	if len(d.text) < len(content) {
		d.mark = bom
	}
	if isBlank(d.text) {
		d.text = []byte("{}\n")
	}
	if at := unclosed(d.text); comments && at >= 0 {
		return nil, locate(d.text, at, errors.New("this comment does not end"))
	}
	plain := d.plain()
	root, err := decode(plain)
	if err != nil {
		return nil, err
	}
	if _, ok := root.(map[string]any); !ok || !gjson.ValidBytes(plain) {
		start := len(plain) - len(bytes.TrimLeft(plain, " \t\r\n"))
		return nil, locate(d.text, start, errors.New("it is not a JSON object"))
	}
	return d, nil
}

// unclosed returns the start of a comment that does not end, or -1.
func unclosed(text []byte) int {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case bytes.HasPrefix(text[i:], []byte("//")):
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		case bytes.HasPrefix(text[i:], []byte("/*")):
			length := bytes.Index(text[i+2:], []byte("*/"))
			if length < 0 {
				return i
			}
			i += length + 3
		}
	}
	return -1
}

// plain returns the text with comments and trailing commas replaced by spaces.
func (d *document) plain() []byte {
	if !d.comments || len(d.text) == 0 {
		return d.text
	}
	if len(d.plainOf) != len(d.text) || &d.plainOf[0] != &d.text[0] { // an edit makes a new text
		d.plainOf, d.plainText = d.text, jsonc.ToJSON(d.text)
	}
	return d.plainText
}

func (d *document) bytes() []byte {
	return append([]byte(d.mark), d.text...)
}

// decode parses JSON and keeps numbers verbatim. Its errors have a line and a column.
func decode(text []byte) (any, error) {
	var v any
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	err := dec.Decode(&v)
	if err == nil && dec.More() {
		err = errors.New("more than one JSON value")
	}
	if err != nil {
		at := dec.InputOffset()
		var syntax *json.SyntaxError
		switch {
		case errors.As(err, &syntax):
			at = syntax.Offset - 1
		case errors.Is(err, io.ErrUnexpectedEOF):
			at = int64(len(text))
		}
		return nil, locate(text, int(at), err)
	}
	return v, nil
}

func locate(text []byte, at int, err error) error {
	before := string(text[:max(0, min(at, len(text)))])
	line := strings.Count(before, "\n") + 1
	column := len([]rune(before[strings.LastIndexByte(before, '\n')+1:])) + 1
	return fmt.Errorf("line %d, column %d: %w", line, column, err)
}

// commit accepts a changed text if it means the same as the change by sjson.
func (d *document) commit(changed []byte, want []byte, err error) error {
	if err != nil {
		return err
	}
	next := &document{mark: d.mark, text: changed, comments: d.comments}
	got, err := decode(next.plain())
	if err != nil {
		return fmt.Errorf("wsi cannot safely change this file as it is written: %w", err)
	}
	meant, err := decode(want)
	if err != nil {
		return fmt.Errorf("wsi cannot safely change this file as it is written: %w", err)
	}
	if !reflect.DeepEqual(got, meant) {
		return errUnsafe
	}
	d.text = changed
	return nil
}

// put adds a member at the end of the object at path, or replaces its value.
func (d *document) put(path []string, key, raw string) error {
	at := append(append([]string{}, path...), key)
	want, err := sjson.SetRawBytes(d.scratch(), join(at), []byte(raw))
	if old, ok := d.lookup(at); ok {
		return d.commit(splice(d.text, cut{old.val.start, old.val.end, raw}), want, err)
	}
	return d.commit(d.insert(path, key, raw), want, err)
}

// push adds an element at the end of the array at path.
func (d *document) push(path []string, raw string) error {
	want, err := sjson.SetRawBytes(d.scratch(), join(append(append([]string{}, path...), "-1")), []byte(raw))
	return d.commit(d.insert(path, "", raw), want, err)
}

// remove removes the member or element at path, with its comma and its line.
func (d *document) remove(path []string) error {
	want, err := sjson.DeleteBytes(d.scratch(), join(path))
	return d.commit(d.without(path), want, err)
}

func (d *document) scratch() []byte {
	return bytes.Clone(d.plain())
}

// unique refuses an object at path with duplicates of one of these keys.
func (d *document) unique(which func(key string) bool, path ...string) error {
	m, ok := d.lookup(path)
	if !ok {
		return nil
	}
	return d.distinct(which, m.val)
}

// distinct is [document.unique] for the object at a place.
func (d *document) distinct(which func(key string) bool, object span) error {
	if d.text[object.start] != '{' {
		return nil
	}
	seen := map[string]bool{}
	for _, child := range d.children(object) {
		if seen[child.key] && which(child.key) {
			return locate(d.text, child.at, fmt.Errorf("duplicate key %q in one object, so wsi cannot tell which one counts", child.key))
		}
		seen[child.key] = true
	}
	return nil
}

// at returns the value at path.
func (d *document) at(path ...string) gjson.Result {
	m, ok := d.lookup(path)
	if !ok {
		return gjson.Result{}
	}
	return gjson.ParseBytes(d.plain()[m.val.start:m.val.end])
}

var special = strings.NewReplacer(`\`, `\\`, `.`, `\.`, `*`, `\*`, `?`, `\?`, `|`, `\|`, `#`, `\#`, `@`, `\@`, `:`, `\:`)

// join returns a path for sjson. The keys are wsi's own and event names.
func join(path []string) string {
	parts := make([]string, len(path))
	for i, p := range path {
		parts[i] = special.Replace(p)
	}
	return strings.Join(parts, ".")
}
