package edit

import (
	"bytes"
	"fmt"
	"slices"

	"wsi/harnesses/setup"
)

// wsi moves parts of an entry to another place in it. A comment on such a part would be lost or move to
// something else, and could not be restored.

// uncommented refuses an entry with a comment in one of these members or on its line.
func uncommented(d *document, s Server, paths ...[]string) error {
	for _, path := range paths {
		if d.remarked(path) {
			return NotWrappableError{
				Why: fmt.Sprintf("a comment in or after its %s would be lost", path[len(path)-1]),
				Fix: "move the comment to a line of its own, above the server " + s.Name,
			}
		}
	}
	return nil
}

// remarked reports whether a comment would be lost or moved with the value at path.
func (d *document) remarked(path []string) bool {
	all, remarks := d.items, d.remarks()
	comment := func(from, to int) bool { return len(bytes.TrimSpace(remarks[from:to])) > 0 }
	for i := 0; i < len(all); i++ {
		it := all[i]
		if len(it.path) < len(path) && below(path, it.path) {
			if _, owner, n, ok := it.value.member(path[len(it.path):]); ok {
				return comment(d.around(owner, n))
			}
		}
		if !below(it.path, path) {
			continue
		}
		for i+1 < len(all) && below(all[i+1].path, path) {
			i++
		}
		if comment(it.start, d.lineEnd(all[i].end)) {
			return true
		}
	}
	return false
}

// around returns the place of what is removed with the kid at i of a container, limited to its lines: from the kid before to
// the kid after it.
func (d *document) around(container node, i int) (from, to int) {
	kid := container.kids[i]
	from, to = container.start+1, container.end-1
	if i > 0 {
		from = container.kids[i-1].val.end
	}
	if i+1 < len(container.kids) {
		to = container.kids[i+1].at
	}
	return max(from, d.lineStart(kid.at)), min(to, d.lineEnd(kid.val.end))
}

// remarks returns the text with spaces in place of everything but comments and line breaks.
func (d *document) remarks() []byte {
	text := slices.Clone(d.text)
	blank := func(in []byte) {
		for i, c := range in {
			if c != '\n' {
				in[i] = ' '
			}
		}
	}
	if d.format != setup.TOML {
		for i, c := range d.plain {
			if c == text[i] || text[i] == ',' {
				blank(text[i : i+1])
			}
		}
		return text
	}
	var values func(node)
	values = func(v node) {
		if v.kind < kindList {
			blank(text[v.start:v.end])
		}
		for _, k := range v.kids {
			blank(text[k.at:k.val.start])
			values(k.val)
		}
	}
	for _, it := range d.items {
		if it.header {
			blank(text[it.start:it.end])
			continue
		}
		blank(text[it.start:it.value.start])
		values(it.value)
	}
	for line := range bytes.Lines(text) { // what is left before a # is punctuation
		before, _, _ := bytes.Cut(line, []byte("#"))
		blank(before)
	}
	return text
}
