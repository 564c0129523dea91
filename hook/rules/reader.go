package rules

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"wsi/hook/carry"
	"wsi/internal/lists"
	"wsi/internal/plainfile"
)

type reader struct {
	name    string
	file    []byte
	places  map[string]int // where a path is, see findPlaces
	lengths map[string]int // of lists of tables, by their paths
	members map[reflect.Type]members
	errs    Errors
}

const (
	wrongType = "%s has a value of a wrong type"

	maxErrors = 100

	// maxFile bounds a rule file, so that a huge one cannot block the hook. Ten long rules are 12 KiB.
	maxFile = 48 << 10
)

func newReader(name string, file []byte) *reader {
	return &reader{name: name, file: file, places: map[string]int{}, lengths: map[string]int{}, members: map[reflect.Type]members{}}
}

// decode reports whether the file could be decoded. It finds the unknown keys itself: of those in inline tables, the decoder's error
// does not say in which table they are.
func (r *reader) decode(doc *document) bool {
	if len(r.file) > maxFile {
		r.wrongAt(1, 1, "", "this file cannot be read: %v", plainfile.TooLargeError{Size: int64(len(r.file)), Most: maxFile})
		return false
	}
	err := toml.Unmarshal(r.file, doc)
	var at *toml.DecodeError
	switch {
	case errors.As(err, &at):
		line, column := at.Position()
		what, write := "this is not TOML: "+strings.TrimPrefix(at.Error(), "toml: "), "name = value, with strings in quotes and lists in [ ]"
		t := r.typeOf(at.Key())
		switch {
		case strings.Contains(at.Error(), "already"):
			write = "it only once"
		case len(at.Key()) > 0 && t != nil:
			what, write = fmt.Sprintf(wrongType, last(at.Key())), example(t, at.Key())
		}
		r.wrongAt(line, column, write, "%s", what)
		return false
	case err != nil:
		r.wrongAt(1, 1, "", "this file cannot be read: %v", err)
		return false
	}
	r.findPlaces()
	return true
}

// typeOf returns the type of what a key names, nil if there is none.
func (r *reader) typeOf(key []string) reflect.Type {
	t := reflect.TypeFor[document]()
	for _, name := range key {
		t = r.membersOf(t).of(name)
	}
	return t
}

// element returns the type of the tables of a list, otherwise t.
func element(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Slice {
		return t.Elem()
	}
	return t
}

// members are the keys of a table, with their types.
type members []member

type member struct {
	key string
	is  reflect.Type
}

func (all members) keys() []string {
	return lists.Map(all, func(m member) string { return m.key })
}

// of returns the type of a member, nil if there is none.
func (all members) of(key string) reflect.Type {
	for _, m := range all {
		if strings.EqualFold(m.key, key) {
			return m.is
		}
	}
	return nil
}

// membersOf returns the members of a table, or of the tables of a list.
func (r *reader) membersOf(t reflect.Type) (all members) {
	if known, ok := r.members[t]; ok || t == nil {
		return known
	}
	if t := element(t); t.Kind() == reflect.Struct {
		for _, f := range reflect.VisibleFields(t) {
			is := f.Type
			if is.Kind() == reflect.Pointer {
				is = is.Elem()
			}
			if key := keyOf(f); !f.Anonymous && key != "-" {
				all = append(all, member{key, is})
			}
		}
	}
	r.members[t] = all
	return all
}

// keyOf returns the key of a field, "-" if it has none.
func keyOf(f reflect.StructField) string {
	if name := f.Tag.Get("toml"); name != "" {
		return name
	}
	return strings.ToLower(f.Name)
}

// header returns how a table with this key begins.
func header(t reflect.Type, key []string) string {
	name := strings.Join(key, ".")
	if t.Kind() == reflect.Slice {
		return "[[" + name + "]]"
	}
	return "[" + name + "]"
}

// example returns what to write for a value of a type.
func example(t reflect.Type, key []string) string {
	name := last(key)
	switch {
	case t.Kind() == reflect.Struct, t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct && t.Elem() != reflect.TypeFor[carry.Source]():
		return header(t, key)
	case t.Kind() == reflect.Slice:
		return name + ` = ["..."]`
	case t.Kind() == reflect.Bool:
		return name + " = true or " + name + " = false"
	}
	return name + ` = "..."`
}

func last(key []string) string { return key[len(key)-1] }

// findPlaces finds where the keys of the file are, by paths such as carry[0].inject[1].tools, and reports unknown ones.
func (r *reader) findPlaces() {
	var p unstable.Parser
	p.Reset(r.file)
	root := place{of: reflect.TypeFor[document]()}
	table := root
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = r.enter(root, e)
		case unstable.KeyValue:
			r.value(r.enter(table, e), e.Value())
		}
	}
}

// place is a table or a value in the file.
type place struct {
	path string
	key  []string
	of   reflect.Type // what it is decoded into, nil if its key, or a table that it is in, is not known
}

// enter returns the place of a table or of a value, by its key in another table.
func (r *reader) enter(at place, e *unstable.Node) place {
	for key := e.Key(); key.Next(); {
		name, offset := string(key.Node().Data), int(key.Node().Raw.Offset)
		at = r.member(at, name, offset)
		if e.Kind == unstable.ArrayTable && key.IsLast() {
			r.lengths[at.path]++
		}
		at = r.found(at, offset)
	}
	return at
}

// member returns the place of a member of a table, and reports an unknown one.
func (r *reader) member(t place, name string, offset int) place {
	m := place{path: strings.TrimPrefix(t.path+"."+name, "."), key: append(slices.Clip(t.key), name)}
	if t.of == nil {
		return m
	}
	known := r.membersOf(t.of)
	if m.of = known.of(name); m.of == nil {
		where := "the file"
		if len(t.key) > 0 {
			where = header(t.of, t.key)
		}
		line, column := r.lineOf(offset)
		if len(known) == 0 {
			r.wrongAt(line, column, example(t.of, t.key), wrongType, last(t.key))
		} else {
			r.wrongAt(line, column, oneOf(nearest(name, known.keys())), "unknown key %q in %s", name, where)
		}
	}
	return m
}

// found records a place, and returns the one of the last table of a list.
func (r *reader) found(at place, offset int) place {
	for {
		if !r.has(at.path) {
			r.places[at.path] = offset
		}
		n := r.lengths[at.path]
		if n == 0 {
			return at
		}
		at.path = nth(at.path, n-1)
	}
}

// value looks for keys inside of a value.
func (r *reader) value(at place, v *unstable.Node) {
	for items := v.Children(); items.Next(); {
		switch item := items.Node(); {
		case v.Kind == unstable.InlineTable:
			r.value(r.enter(at, item), item.Value())
		case v.Kind == unstable.Array && item.Kind == unstable.InlineTable:
			r.lengths[at.path]++
			r.value(r.found(at, r.places[at.path]), item)
		}
	}
}

func nth(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

func (r *reader) has(path string) bool {
	_, ok := r.places[path]
	return ok
}

// given reports whether a table is in the file, be it empty.
func (r *reader) given(path string, table any) bool {
	return r.has(path) || !reflect.ValueOf(table).IsZero()
}

// position returns the line of a path, and its column in characters. A part of a value has the place of the value.
func (r *reader) position(path string) (line, column int) {
	for path != "" && !r.has(path) {
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
	return r.lineOf(r.places[path])
}

func (r *reader) lineOf(offset int) (line, column int) {
	before := r.file[:offset]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[start:]) + 1
}

func (r *reader) wrong(path, write, format string, args ...any) {
	line, column := r.position(path)
	r.wrongAt(line, column, write, format, args...)
}

func (r *reader) wrongAt(line, column int, write, format string, args ...any) {
	if len(r.errs) < maxErrors {
		r.errs = append(r.errs, &Error{File: r.name, Line: line, Column: column, What: fmt.Sprintf(format, args...), Write: write})
	}
}

func (r *reader) need(ok bool, path, write, missing string) {
	if !ok {
		r.wrong(path, write, "%s", missing)
	}
}
