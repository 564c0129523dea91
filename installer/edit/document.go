package edit

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"

	"wsi/harnesses/setup"
	"wsi/internal/lists"
)

// document is a file in its original bytes. A change makes a new text, of which only the intended value may differ: else the
// change fails. After that, no other change is made.
type document struct {
	format setup.Format
	mark   string // the byte order mark, or ""
	text   []byte
	plain  []byte         // the text without comments and trailing commas, with spaces in their place
	tree   map[string]any // what the text means; only commit changes it
	items  []item         // the top-level expressions of TOML; a JSON document is one without a path
	lost   error          // why there are no items: they cannot be located
	err    error          // why a change failed
}

// node is a value with its place. Kids are the elements of a list, or the members of an object or inline table.
type node struct {
	kind kind
	span
	kids []kid
}

type kind int

const (
	kindOther kind = iota
	kindText
	kindList
	kindObject
)

type kid struct {
	key []string // of a member; one of TOML can have dots
	at  int      // where the key or the element begins
	val node
}

func openDocument(format setup.Format, content []byte) (*document, error) {
	text := bytes.TrimPrefix(content, []byte(bom))
	d, err := parse(format, text)
	d.mark = string(content[:len(content)-len(text)])
	return d, err
}

func parse(format setup.Format, text []byte) (d *document, err error) {
	d = &document{format: format, text: text, plain: text}
	if format == setup.TOML {
		if d.tree, err = setup.DecodeTOML(text); err == nil {
			d.items, d.lost = d.itemsTOML()
		}
		return d, err
	}
	if err = d.readJSON(); err == nil {
		d.items, d.lost = d.itemJSON()
	}
	return d, err
}

func (d *document) bytes() []byte { return append([]byte(d.mark), d.text...) }

// result returns the changed file.
func (d *document) result() ([]byte, error) {
	if d.err != nil {
		return nil, d.err
	}
	return d.bytes(), nil
}

func (d *document) fail(err error) { d.err = cmp.Or(d.err, err) }

var errUnsafe = errors.New("wsi cannot safely change this file as it is written")

// commit accepts a changed text if its tree equals the old one with what do makes of the value at path.
func (d *document) commit(changed []byte, path []string, do func(old any) any) {
	if d.err != nil {
		return
	}
	next, err := parse(d.format, changed)
	switch err = cmp.Or(err, next.lost); {
	case err != nil:
		d.err = fmt.Errorf("%w: %w", errUnsafe, err)
	case !d.same(next.tree, alter(d.tree, path, do)):
		d.err = errUnsafe
	default:
		next.mark = d.mark
		*d = *next
	}
}

// same reports whether two trees mean the same in the format of the document.
func (d *document) same(a, b any) bool {
	if d.format == setup.TOML {
		a, b = normal(a), normal(b)
	}
	return reflect.DeepEqual(a, b)
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
		return lists.Map(v, normal)
	case map[string]any:
		out := map[string]any{}
		for key := range v {
			out[key] = normal(v[key])
			if t, ok := out[key].(map[string]any); ok && len(t) == 0 && (key == "hooks" || key == "state") {
				delete(out, key)
			}
		}
		return out
	}
	return v
}

// alter returns a tree with the value at a path changed to what do returns, nil for none. It makes missing tables.
func alter(in any, path []string, do func(old any) any) any {
	if len(path) == 0 {
		return do(in)
	}
	if all, ok := in.([]any); ok {
		i, err := strconv.Atoi(path[0])
		if err != nil || i >= len(all) {
			return all
		}
		all = slices.Clone(all)
		if all[i] = alter(all[i], path[1:], do); all[i] == nil {
			return slices.Delete(all, i, i+1)
		}
		return all
	}
	table, _ := in.(map[string]any)
	if table = maps.Clone(table); table == nil {
		table = map[string]any{}
	}
	if table[path[0]] = alter(table[path[0]], path[1:], do); table[path[0]] == nil {
		delete(table, path[0])
	}
	return table
}

// find returns the value at path, if it is written as such.
func (d *document) find(path ...string) (v node, ok bool) {
	for _, it := range d.items {
		if it.header || !below(path, it.path) {
			continue
		}
		if v, _, _, ok := it.value.member(path[len(it.path):]); ok {
			return v, true
		}
	}
	return node{}, false
}

// member returns the value at a path below a value. owner is the container of it, i its index there. Of duplicate keys the last
// one counts.
func (n node) member(path []string) (found, owner node, i int, ok bool) {
	if len(path) == 0 {
		return n, node{}, 0, true
	}
	for i, k := range slices.Backward(n.kids) {
		key := k.key
		if n.kind == kindList {
			key = []string{strconv.Itoa(i)}
		}
		if !below(path, key) {
			continue
		}
		if found, owner, at, ok := k.val.member(path[len(key):]); ok {
			if len(path) == len(key) {
				return found, n, i, true
			}
			return found, owner, at, true
		}
	}
	return node{}, node{}, 0, false
}

func below(path, table []string) bool {
	return len(path) >= len(table) && slices.Equal(path[:len(table)], table)
}

// put sets a key of the table at path.
func (d *document) put(path []string, key string, value any) {
	d.commit(d.assign(path, key, d.raw(value)), append(slices.Clone(path), key), func(any) any { return d.meant(value) })
}

// plus returns a function that adds an element to a list.
func (d *document) plus(value any) func(list any) any {
	return func(list any) any {
		all, _ := list.([]any)
		return slices.Concat(all, []any{d.meant(value)})
	}
}

// remove removes the value at path. meant is where the tree loses something: path, or a table that disappears with it.
func (d *document) remove(path, meant []string) {
	d.commit(d.removed(path), meant, func(any) any { return nil })
}

// assign returns the text with a key of an existing table set to a raw value.
func (d *document) assign(table []string, key, raw string) []byte {
	if v, ok := d.find(append(slices.Clone(table), key)...); ok {
		return splice(d.text, cut{v.start, v.end, raw})
	}
	if v, ok := d.find(table...); ok {
		return d.extend(v, key, raw)
	}
	return d.assignTOML(table, d.member(key, raw))
}

// removed returns the text without the table or value at path.
func (d *document) removed(path []string) []byte {
	for _, it := range d.items {
		if len(it.path) < len(path) && below(path, it.path) {
			if _, owner, i, ok := it.value.member(path[len(it.path):]); ok {
				return d.without(owner, i)
			}
		}
	}
	return d.cutItems(path)
}

// distinct refuses an object with duplicates of one of these keys. TOML does not allow any.
func (d *document) distinct(which func(key string) bool, object node) error {
	if d.format == setup.TOML || object.kind != kindObject {
		return nil
	}
	seen := map[string]bool{}
	for _, k := range object.kids {
		if key := k.key[0]; seen[key] && which(key) {
			return setup.Locate(d.text, k.at, fmt.Errorf("duplicate key %q in one object, so wsi cannot tell which one counts", key))
		}
		seen[k.key[0]] = true
	}
	return nil
}

// rawAt returns the value at a path as it is written, "" if there is none.
func (d *document) rawAt(path []string) string {
	v, _ := d.find(path...)
	return string(d.text[v.start:v.end])
}
