package edit

import (
	"github.com/pelletier/go-toml/v2/unstable"

	"wsi/harnesses/setup"
)

// tomlServers is a file of registered servers in TOML.
type tomlServers struct{ *tomlDocument }

func (t tomlServers) tree() (map[string]any, error) { return setup.DecodeTOML(t.text) }

// unambiguous returns nil: TOML does not allow duplicate keys.
func (t tomlServers) unambiguous([]string) error { return nil }

func (t tomlServers) quote(s string) string { return quoteTOML(s) }

func (t tomlServers) object(key, raw string) string {
	return "{ " + quoteAll([]string{key})[0] + " = " + raw + " }"
}

func (t tomlServers) value(path []string) (node, bool) {
	all, err := items(t.text)
	if err != nil {
		return node{}, false
	}
	return find(all, path)
}

func (t tomlServers) raw(path []string) (string, bool) {
	v, ok := t.value(path)
	return string(t.text[v.start:v.end]), ok
}

func (t tomlServers) elements(path []string) (list, bool) {
	v, ok := t.value(path)
	if !ok || v.kind != unstable.Array {
		return list{span: v.span}, ok
	}
	var kids []span
	for _, kid := range v.kids {
		kids = append(kids, kid.val.span)
	}
	return place(t.text, v.span, kids, func(from, end int) int { return comma(t.text, from, end) }), true
}

func (t tomlServers) splice(cuts ...cut) { t.text = splice(t.text, cuts...) }

func (t tomlServers) set(path []string, raw string) (err error) {
	last := len(path) - 1
	t.text, err = t.assign(path[:last], path[last], raw)
	return err
}

func (t tomlServers) drop(path []string) (err error) {
	t.text, err = t.removed(path)
	return err
}
