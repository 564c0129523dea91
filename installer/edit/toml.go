package edit

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"wsi/harnesses/setup"
)

// Only this file uses go-toml's unstable parser, which has no compatibility promise (v2.4.3).

// item is one top-level expression of a TOML file.
type item struct {
	kind  unstable.Kind // KeyValue, Table or ArrayTable
	table int           // the number of parts of path that name its table (KeyValue)
	path  []string      // absolute, with the indexes of lists of tables
	span                // from the key or the bracket to the end of the value or header
	value node          // KeyValue
}

// node is a value with its place. Kids are elements, or the members of an inline table.
type node struct {
	kind unstable.Kind
	span
	kids []kid
}

type kid struct {
	key []string // of a member
	at  int      // where the key or the element begins
	val node
}

// items returns the top-level expressions of a file.
func items(text []byte) (list []item, err error) {
	if _, err := setup.DecodeTOML(text); err != nil {
		return nil, err
	}
	var p unstable.Parser
	p.Reset(text)
	var table []string
	lists := map[string]int{} // the number of elements of each list of tables so far
	for p.NextExpression() {
		n := p.Expression()
		it := item{kind: n.Kind}
		key, first, last := keyOf(n)
		switch n.Kind {
		case unstable.KeyValue:
			it.table, it.path = len(table), append(slices.Clone(table), key...)
			it.span = spanOf(n)
			if it.value, err = value(text, n.Value(), valueStart(text, last)); err != nil {
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
			it.start = bytes.LastIndexByte(text[:first], '\n') + 1
			it.start += bytes.IndexByte(text[it.start:], '[')
			it.end = last + bytes.IndexByte(text[last:], ']') + 1
			if n.Kind == unstable.ArrayTable {
				it.end++
			}
		default:
			continue
		}
		list = append(list, it)
	}
	return list, p.Error()
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

func valueStart(text []byte, keyEnd int) int {
	equals := keyEnd + bytes.IndexByte(text[keyEnd:], '=')
	return skip(text, equals+1)
}

// skip skips white space, comments and commas.
func skip(text []byte, i int) int {
	for ; i < len(text); i++ {
		switch text[i] {
		case ' ', '\t', '\r', '\n', ',':
		case '#':
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		default:
			return i
		}
	}
	return i
}

// value locates a value that begins at start. The parser does not say where lists are, and only where inline tables
// begin.
func value(text []byte, n *unstable.Node, start int) (node, error) {
	v := node{kind: n.Kind, span: span{start, start}}
	if n.Kind != unstable.Array && n.Kind != unstable.InlineTable {
		v.span = spanOf(n)
		if v.start != start || v.end <= v.start {
			return v, errors.New("wsi cannot locate a value in this file")
		}
		return v, nil
	}
	at := start + 1
	for it := n.Children(); it.Next(); {
		child := it.Node()
		k := kid{at: skip(text, at)}
		from := k.at
		if n.Kind == unstable.InlineTable {
			var last int
			k.key, _, last = keyOf(child)
			child, from = child.Value(), valueStart(text, last)
		}
		var err error
		if k.val, err = value(text, child, from); err != nil {
			return v, err
		}
		v.kids = append(v.kids, k)
		at = k.val.end
	}
	v.end = skip(text, at) + 1
	if v.end > len(text) || text[v.end-1] != ']' && text[v.end-1] != '}' {
		return v, errors.New("wsi cannot locate a value in this file")
	}
	return v, nil
}

// member returns the value at a path below an inline value. owner is the inline table or list that contains it, i its
// index there.
func (n node) member(path []string) (found node, owner node, i int, ok bool) {
	if len(path) == 0 {
		return n, node{}, 0, true
	}
	for i, k := range n.kids {
		key := k.key
		if n.kind == unstable.Array {
			key = []string{strconv.Itoa(i)}
		}
		if len(key) > len(path) || !slices.Equal(key, path[:len(key)]) {
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

// bare reports whether a key needs no quotes.
const bare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

func quoteAll(key []string) []string {
	out := make([]string, len(key))
	for i, part := range key {
		out[i] = part
		if part == "" || strings.Trim(part, bare) != "" {
			out[i] = quoteTOML(part)
		}
	}
	return out
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
