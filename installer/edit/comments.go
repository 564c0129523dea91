package edit

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/pelletier/go-toml/v2/unstable"
)

// wsi moves parts of an entry to another place in it. A comment on such a part would be lost or move to
// something else, and could not be restored.

// uncommented refuses an entry with a comment in one of these members or on its line.
func uncommented(r registry, s Server, paths ...[]string) error {
	for _, path := range paths {
		if r.remarked(path) {
			return NotWrappableError{
				Why: fmt.Sprintf("a comment in or after its %s would be lost", path[len(path)-1]),
				Fix: "move the comment to a line of its own, above the server " + s.Name,
			}
		}
	}
	return nil
}

// around returns the text that is removed with a child of a container, limited to its lines: from the child before
// to the child after it. It is nil without such a child.
func around(text []byte, container, kid span, before, behind *span) span {
	from, to := container.start+1, container.end-1
	if before != nil {
		from = before.end
	}
	if behind != nil {
		to = behind.start
	}
	from = max(from, bytes.LastIndexByte(text[:kid.start], '\n')+1)
	if n := bytes.IndexByte(text[kid.end:], '\n'); n >= 0 {
		to = min(to, kid.end+n)
	}
	return span{from, to}
}

func neighbour(kids []span, i int) *span {
	if i < 0 || i >= len(kids) {
		return nil
	}
	return &kids[i]
}

func (j jsonServers) remarked(path []string) bool {
	last := len(path) - 1
	parent, _ := j.lookup(path[:last])
	var kids []span
	at := -1
	for i, m := range j.children(parent.val) {
		kids = append(kids, span{m.at, m.val.end})
		if m.key == path[last] {
			at = i
		}
	}
	if at < 0 {
		return false
	}
	plain, in := j.plain(), around(j.text, parent.val, kids[at], neighbour(kids, at-1), neighbour(kids, at+1))
	for i := in.start; i < in.end; i++ {
		if j.text[i] != plain[i] && j.text[i] != ',' {
			return true
		}
	}
	return false
}

func (t tomlServers) remarked(path []string) bool {
	list, err := items(t.text)
	if err != nil {
		return false // the change itself will fail
	}
	unsaid := t.unsaid(list)
	comment := func(in span) bool { return bytes.IndexByte(unsaid[in.start:in.end], '#') >= 0 }
	for i := 0; i < len(list); i++ {
		it := list[i]
		if len(it.path) < len(path) && below(path, it.path) {
			if _, owner, n, ok := it.value.member(path[len(it.path):]); ok {
				var kids []span
				for _, k := range owner.kids {
					kids = append(kids, span{k.at, k.val.end})
				}
				return comment(around(t.text, owner.span, kids[n], neighbour(kids, n-1), neighbour(kids, n+1)))
			}
		}
		if !below(it.path, path) {
			continue
		}
		for i+1 < len(list) && below(list[i+1].path, path) {
			i++
		}
		if comment(span{it.start, t.lineEnd(list[i].end)}) {
			return true
		}
	}
	return false
}

// unsaid returns the text with its keys and values blanked: a # in it begins a comment.
func (t tomlServers) unsaid(list []item) []byte {
	text := slices.Clone(t.text)
	blank := func(from, to int) { copy(text[from:to], bytes.Repeat([]byte(" "), to-from)) }
	var values func(node)
	values = func(v node) {
		if v.kind != unstable.Array && v.kind != unstable.InlineTable {
			blank(v.start, v.end)
		}
		for _, k := range v.kids {
			blank(k.at, k.val.start)
			values(k.val)
		}
	}
	for _, it := range list {
		if it.kind != unstable.KeyValue {
			blank(it.start, it.end)
			continue
		}
		blank(it.start, it.value.start)
		values(it.value)
	}
	return text
}
