package edit

import (
	"bytes"
	"encoding/json"
)

// jsonServers is a file of registered servers in JSON or JSONC.
type jsonServers struct{ *document }

func (j jsonServers) tree() (map[string]any, error) {
	root, err := decode(j.plain())
	tree, _ := root.(map[string]any)
	return tree, err
}

// unambiguous refuses duplicate keys in an entry and on its path.
func (j jsonServers) unambiguous(path []string) error {
	for i, key := range path {
		if err := j.unique(func(k string) bool { return k == key }, path[:i]...); err != nil {
			return err
		}
	}
	return j.unique(every, path...)
}

func (j jsonServers) quote(s string) string { return quote(s) }

func (j jsonServers) object(key, raw string) string { return "{" + quote(key) + ":" + raw + "}" }

func (j jsonServers) raw(path []string) (string, bool) {
	m, ok := j.lookup(path)
	return string(j.text[m.val.start:m.val.end]), ok
}

func (j jsonServers) elements(path []string) (list, bool) {
	m, ok := j.lookup(path)
	if !ok || j.text[m.val.start] != '[' {
		return list{span: m.val}, ok
	}
	var kids []span
	for _, kid := range j.children(m.val) {
		kids = append(kids, kid.val)
	}
	return place(j.text, m.val, kids, j.comma), true
}

func (j jsonServers) splice(cuts ...cut) { j.text = splice(j.text, cuts...) }

func (j jsonServers) set(path []string, raw string) error {
	if old, ok := j.lookup(path); ok {
		j.splice(cut{old.val.start, old.val.end, raw})
		return nil
	}
	last := len(path) - 1
	j.text = j.insert(path[:last], path[last], compact(raw))
	return nil
}

func (j jsonServers) drop(path []string) error {
	j.text = j.without(path)
	return nil
}

// compact removes the white space from a raw value; insert adds that of the file's style.
func compact(raw string) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(raw)) != nil {
		return raw
	}
	return b.String()
}
