package rules

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"wsi/internal/plainfile"
)

type kind string

const (
	aTable  kind = "a table"
	aList   kind = "a list"
	aString kind = "a string"
	aBool   kind = "true or false"
	aNumber kind = "a whole number"
	another kind = "something else"
)

type node struct {
	at      int // offset in the file
	kind    kind
	text    string // of a scalar
	items   []*node
	members []member
}

type member struct {
	name  string
	at    int
	value *node
}

func (n *node) get(name string) *node {
	for _, m := range n.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// tables returns the tables of a list, nil if it is not a list of tables.
func (n *node) tables(name string) []*node {
	if v := n.get(name); v != nil && v.hasTables() {
		return v.items
	}
	return nil
}

func (n *node) hasTables() bool {
	return n.kind == aList && !slices.ContainsFunc(n.items, func(n *node) bool { return n.kind != aTable })
}

// step returns the table with a name, of a list of tables the last one. It creates the table if it is missing.
func (n *node) step(name string, at int) *node {
	if v := n.get(name); v != nil {
		if v.kind == aList && len(v.items) > 0 {
			return v.items[len(v.items)-1]
		}
		return v
	}
	t := &node{at: at, kind: aTable}
	n.members = append(n.members, member{name, at, t})
	return t
}

// maxFile bounds a rule file, so that a huge one cannot block the hook. Ten long rules are 12 KiB.
const maxFile = 48 << 10

// parse parses a TOML file. A syntax error is a *toml.DecodeError.
func parse(file []byte) (*node, error) {
	if len(file) > maxFile {
		return nil, plainfile.TooLargeError{Size: int64(len(file)), Most: maxFile}
	}
	var meaning map[string]any // this detects duplicate keys, which the parser below does not
	if err := toml.Unmarshal(file, &meaning); err != nil {
		return nil, err
	}
	var p unstable.Parser
	p.Reset(file)
	root := &node{kind: aTable}
	current := root
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			current = enter(root, e)
		case unstable.KeyValue:
			assign(&p, current, e)
		}
	}
	return root, p.Error()
}

func enter(root *node, header *unstable.Node) *node {
	t := root
	for key := header.Key(); key.Next(); {
		name, at := string(key.Node().Data), int(key.Node().Raw.Offset)
		if header.Kind == unstable.Table || !key.IsLast() {
			t = t.step(name, at)
			continue
		}
		l := t.get(name)
		if l == nil {
			l = &node{at: at, kind: aList}
			t.members = append(t.members, member{name, at, l})
		}
		t = &node{at: at, kind: aTable}
		l.items = append(l.items, t)
	}
	return t
}

func assign(p *unstable.Parser, t *node, e *unstable.Node) {
	for key := e.Key(); key.Next(); {
		name, at := string(key.Node().Data), int(key.Node().Raw.Offset)
		if !key.IsLast() {
			t = t.step(name, at)
			continue
		}
		t.members = append(t.members, member{name, at, build(p, e.Value(), at)})
	}
}

// build makes a node of a value. A value without a place from the parser gets the key's place.
func build(p *unstable.Parser, v *unstable.Node, at int) *node {
	if v.Raw.Length > 0 {
		at = int(v.Raw.Offset)
	}
	n := &node{at: at, kind: another, text: string(v.Data)}
	switch v.Kind {
	case unstable.String:
		n.kind = aString
	case unstable.Bool:
		n.kind = aBool
	case unstable.Integer:
		n.kind = aNumber
	case unstable.Array:
		n.kind = aList
		for items := v.Children(); items.Next(); {
			n.items = append(n.items, build(p, items.Node(), at))
		}
	case unstable.InlineTable:
		n.kind = aTable
		for items := v.Children(); items.Next(); {
			assign(p, n, items.Node())
		}
	}
	return n
}

// position returns the line, and the column in characters, of an offset.
func position(file []byte, at int) (line, column int) {
	before := file[:min(at, len(file))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[start:]) + 1
}
