package edit

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"wsi/harnesses/setup"
	"wsi/internal/lists"
)

// Only this file uses go-toml's unstable parser, which has no compatibility promise (v2.4.3).

// item is a part of a file that has a path of its own.
type item struct {
	header bool     // it is the header of a table
	table  int      // the number of parts of path that name its table, if it is not a header
	path   []string // absolute, with the indexes of lists of tables
	span            // from the key or the bracket to the end of the value or header
	value  node     // if it is not a header
}

// itemsTOML returns the top-level expressions.
func (d *document) itemsTOML() (all []item, err error) {
	var p unstable.Parser
	p.Reset(d.text)
	var table []string
	lists := map[string]int{} // the number of elements of each list of tables so far
	for p.NextExpression() {
		n := p.Expression()
		it := item{header: n.Kind != unstable.KeyValue}
		key, first, last := keyOf(n)
		switch n.Kind {
		case unstable.KeyValue:
			it.table, it.path = len(table), append(slices.Clone(table), key...)
			it.span = spanOf(n)
			if it.value, err = d.valueTOML(n.Value(), d.valueStart(last)); err != nil {
				return nil, err
			}
		case unstable.Table, unstable.ArrayTable:
			table = resolve(key, lists)
			if n.Kind == unstable.ArrayTable {
				name := strings.Join(quoteAll(table), ".")
				table = append(table, strconv.Itoa(lists[name]))
				lists[name]++
			}
			it.path = slices.Clone(table)
			it.start = d.lineStart(first)
			it.start += bytes.IndexByte(d.text[it.start:], '[')
			it.end = last + bytes.IndexByte(d.text[last:], ']') + 1
			if n.Kind == unstable.ArrayTable {
				it.end++
			}
		default:
			continue
		}
		all = append(all, it)
	}
	return all, p.Error()
}

// keyOf returns the parts of a key, the start of the first and the end of the last.
func keyOf(n *unstable.Node) (key []string, first, last int) {
	first = -1
	for it := n.Key(); it.Next(); {
		part := it.Node()
		key = append(key, string(part.Data))
		if first < 0 {
			first = int(part.Raw.Offset)
		}
		last = int(part.Raw.Offset + part.Raw.Length)
	}
	return key, first, last
}

// resolve inserts the index of the newest element after every list of tables, except in the last part.
func resolve(key []string, lists map[string]int) []string {
	var path []string
	for i, part := range key {
		path = append(path, part)
		if n := lists[strings.Join(quoteAll(path), ".")]; n > 0 && i < len(key)-1 {
			path = append(path, strconv.Itoa(n-1))
		}
	}
	return path
}

func spanOf(n *unstable.Node) span {
	return span{int(n.Raw.Offset), int(n.Raw.Offset + n.Raw.Length)}
}

func (d *document) valueStart(keyEnd int) int {
	return d.skip(keyEnd+bytes.IndexByte(d.text[keyEnd:], '=')+1, " \t")
}

var errPlace = errors.New("wsi cannot locate a value in this file")

// valueTOML locates a value that begins at start. The parser does not say where lists are, and only where inline tables begin.
func (d *document) valueTOML(n *unstable.Node, start int) (v node, err error) {
	v.span = span{start, start}
	switch n.Kind { //nolint:exhaustive // others are scalars
	case unstable.Array:
		v.kind = kindList
	case unstable.InlineTable:
		v.kind = kindObject
	case unstable.String:
		v.kind = kindText
		fallthrough
	default:
		if v.span = spanOf(n); v.start != start || v.end <= v.start {
			return v, errPlace
		}
		return v, nil
	}
	const between = " \t\r\n,"
	at := start + 1
	for it := n.Children(); it.Next(); {
		child := it.Node()
		k := kid{key: []string{""}, at: d.skip(at, between)}
		from := k.at
		if v.kind == kindObject {
			var last int
			k.key, _, last = keyOf(child)
			child, from = child.Value(), d.valueStart(last)
		}
		if k.val, err = d.valueTOML(child, from); err != nil {
			return v, err
		}
		v.kids = append(v.kids, k)
		at = k.val.end
	}
	v.end = d.skip(at, between) + 1
	if v.end > len(d.text) || d.text[v.end-1] != ']' && d.text[v.end-1] != '}' {
		return v, errPlace
	}
	return v, nil
}

// bare reports whether a key needs no quotes.
const bare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

func quoteAll(key []string) []string {
	return lists.Map(key, func(part string) string {
		if part == "" || strings.Trim(part, bare) != "" {
			return quoteTOML(part)
		}
		return part
	})
}

// quoteTOML returns a basic string.
func quoteTOML(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteRune('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + `"`
}

// block returns the text with lines added at its end, after an empty line. If the last line had no line break, the new
// one has none either; cutItems relies on that.
func (d *document) block(lines ...string) []byte {
	nl := d.style().newline
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
func (d *document) open() bool {
	return len(d.text) > 0 && d.text[len(d.text)-1] != '\n'
}

// assignTOML returns the text with a member added to a table that is not inline.
func (d *document) assignTOML(table []string, member string) []byte {
	all := d.items
	at := slices.IndexFunc(all, func(it item) bool { return it.header && slices.Equal(it.path, table) })
	if at >= 0 {
		for at+1 < len(all) && !all[at+1].header {
			at++
		}
		return d.line(all[at], member)
	}
	// The table exists only through dotted keys: add one.
	at = slices.IndexFunc(all, func(it item) bool {
		return !it.header && len(it.path) > len(table) && it.table < len(table) && below(it.path, table)
	})
	if at < 0 {
		return d.text // the change fails
	}
	prefix := strings.Join(quoteAll(table[all[at].table:]), ".")
	return d.line(all[at], prefix+"."+member)
}

// line returns the text with a line inserted after an item's, with the same indentation.
func (d *document) line(it item, text string) []byte {
	start := d.lineStart(it.start)
	indent := string(d.text[start:it.start])
	end := d.lineEnd(it.end)
	if end == len(d.text) && d.open() {
		return splice(d.text, cut{end, end, d.style().newline + indent + text})
	}
	return splice(d.text, cut{end, end, indent + text + d.style().newline})
}

// cutItems returns the text without all items below a path: their lines, the text between them, and an empty line before
// each run of them.
func (d *document) cutItems(path []string) []byte {
	all := d.items
	var cuts []cut
	for i := 0; i < len(all); i++ {
		if !below(all[i].path, path) {
			continue
		}
		start := d.lineStart(all[i].start)
		if all[i].header {
			start = d.emptyLineBefore(start)
		}
		for i+1 < len(all) && below(all[i+1].path, path) {
			i++
		}
		end := d.lineEnd(all[i].end)
		if end == len(d.text) && d.open() {
			start = len(bytes.TrimSuffix(bytes.TrimSuffix(d.text[:start], []byte("\n")), []byte("\r"))) // without its line break
		}
		cuts = append(cuts, cut{start, end, ""})
	}
	return splice(d.text, cuts...)
}

func (d *document) emptyLineBefore(start int) int {
	before := d.text[:start]
	for _, end := range []string{"\r\n", "\n"} {
		if string(before) == end || bytes.HasSuffix(before, []byte(end+end)) {
			return start - len(end)
		}
	}
	return start
}

// SetTrust adds a trust record to a TOML file: to its table, in any notation, or to a new one at the end. If the file has
// the record already, SetTrust changes nothing.
func SetTrust(content []byte, r setup.TrustRecord) ([]byte, error) {
	d, err := openDocument(setup.TOML, content)
	if err != nil {
		return nil, err
	}
	depth, table, err := descend(d.tree, r.Table)
	if err != nil {
		return nil, err
	}
	if depth == len(r.Table) && table[r.Key] == r.Value {
		return content, nil
	}
	keys := append(slices.Clone(r.Table), r.Key)
	d.commit(d.trusting(keys, depth, r.Value), keys, func(any) any { return r.Value })
	return d.result()
}

// trusting returns the text with the value of a record; depth is the number of existing tables on its path.
func (d *document) trusting(keys []string, depth int, value any) []byte {
	last := len(keys) - 1
	if depth == last {
		return d.assign(keys[:last], keys[last], d.raw(value))
	}
	// An inline table can only be extended inside its braces.
	for n := depth; n > 0; n-- {
		if v, ok := d.find(keys[:n]...); ok {
			for _, key := range slices.Backward(keys[n+1:]) {
				value = fields{{key, value}}
			}
			return d.extend(v, keys[n], d.raw(value))
		}
	}
	return d.block("["+joined(keys[:last])+"]", d.member(keys[last], d.raw(value)))
}

// descend follows the name of a table as far as it exists.
func descend(tree map[string]any, name []string) (depth int, table map[string]any, err error) {
	for i, key := range name {
		raw, ok := tree[key]
		if !ok {
			return i, tree, nil
		}
		if tree, ok = raw.(map[string]any); !ok {
			return i, nil, fmt.Errorf("%q is not a table", key)
		}
	}
	return len(name), tree, nil
}

// RemoveTrust removes the records that are in a TOML file with the same value, "" = any, and their tables if these are empty then.
func RemoveTrust(content []byte, records []setup.TrustRecord) ([]byte, error) {
	records = slices.DeleteFunc(slices.Clone(records), func(r setup.TrustRecord) bool {
		written := strings.Trim(quoteTOML(cmp.Or(r.Value, r.Key)), `"`)
		return !bytes.Contains(content, []byte(written))
	})
	if len(records) == 0 {
		return content, nil // errors in a file without a record do not matter
	}
	d, err := openDocument(setup.TOML, content)
	if err != nil {
		return nil, err
	}
	for _, r := range records {
		d.distrust(r)
	}
	return d.result()
}

func (d *document) distrust(r setup.TrustRecord) {
	depth, table, err := descend(d.tree, r.Table)
	d.fail(err)
	if depth < len(r.Table) || table[r.Key] == nil || r.Value != "" && table[r.Key] != r.Value {
		return
	}
	path := r.Table
	if len(table) > 1 {
		path = append(slices.Clone(path), r.Key)
	}
	d.remove(path, path)
	// An empty inline table inside another one is as SetTrust creates it. Any other table existed before.
	path = r.Table[:len(r.Table)-1]
	v, _ := d.find(path...)
	own := slices.ContainsFunc(d.items, func(it item) bool { return slices.Equal(it.path, path) })
	if !own && v.kind == kindObject && len(v.kids) == 0 {
		d.remove(path, path)
	}
}
