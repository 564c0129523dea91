package edit

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"wsi/harnesses"
)

// SetTrust writes a trust record into a TOML file: into its table, however that is written, or in a
// new one at the end. A record that is there already changes nothing.
func SetTrust(content []byte, r harnesses.TrustRecord) ([]byte, error) {
	d, err := openDocument(content)
	if err != nil {
		return nil, err
	}
	tree, err := decodeTOML(d.text)
	if err != nil {
		return nil, err
	}
	depth, table, err := descend(tree, r.Table)
	if err != nil {
		return nil, err
	}
	if depth == len(r.Table) && table[r.Key] == r.Value {
		return content, nil
	}
	changed, err := d.trusting(r, depth)
	if err != nil {
		return nil, err
	}
	err = d.commit(changed, func(tree map[string]any) {
		for _, key := range r.Table {
			if tree[key] == nil {
				tree[key] = map[string]any{}
			}
			tree = tree[key].(map[string]any)
		}
		tree[r.Key] = r.Value
	})
	return d.bytes(), err
}

// trusting returns the text with the record in it; depth is how much of its table exists.
func (d *tomlDocument) trusting(r harnesses.TrustRecord, depth int) ([]byte, error) {
	value := quoteTOML(r.Value)
	if depth == len(r.Table) {
		return d.assign(r.Table, r.Key, value)
	}
	list, err := items(d.text)
	if err != nil {
		return nil, err
	}
	// A table in braces cannot be added to from outside them.
	for n := depth; n > 0; n-- {
		v, ok := find(list, r.Table[:n])
		if !ok {
			continue
		}
		raw := quoteAll([]string{r.Key})[0] + " = " + value
		for _, key := range slices.Backward(r.Table[n:]) {
			raw = quoteAll([]string{key})[0] + " = { " + raw + " }"
		}
		return d.extend(v, raw), nil
	}
	name := ""
	for i, part := range quoteAll(r.Table) {
		if i > 0 {
			name += "."
		}
		name += part
	}
	return d.block("["+name+"]", quoteAll([]string{r.Key})[0]+" = "+value), nil
}

// descend follows a table's name as far as it exists.
func descend(tree map[string]any, name []string) (depth int, table map[string]any, err error) {
	for i, key := range name {
		raw, ok := tree[key]
		if !ok {
			return i, tree, nil
		}
		if tree, ok = raw.(map[string]any); !ok {
			return i, nil, fmt.Errorf("%q is no table", key)
		}
	}
	return len(name), tree, nil
}

// RemoveTrust takes the records out of a TOML file, as far as they are in it with the same value. A
// table that has nothing else in it goes too.
func RemoveTrust(content []byte, records []harnesses.TrustRecord) ([]byte, error) {
	records = slices.DeleteFunc(slices.Clone(records), func(r harnesses.TrustRecord) bool {
		written := strings.Trim(quoteTOML(r.Value), `"`)
		return !bytes.Contains(content, []byte(written))
	})
	if len(records) == 0 {
		return content, nil // what holds no record may be as broken as it likes
	}
	d, err := openDocument(content)
	if err != nil {
		return nil, err
	}
	for _, r := range records {
		if err := d.distrust(r); err != nil {
			return nil, err
		}
	}
	return d.bytes(), nil
}

func (d *tomlDocument) distrust(r harnesses.TrustRecord) error {
	tree, err := decodeTOML(d.text)
	if err != nil {
		return err
	}
	depth, table, err := descend(tree, r.Table)
	if err != nil || depth < len(r.Table) || table[r.Key] != r.Value {
		return err
	}
	alone := len(table) == 1
	path := r.Table
	if !alone {
		path = append(slices.Clone(path), r.Key)
	}
	changed, err := d.removed(path)
	if err != nil {
		return err
	}
	if err := d.commit(changed, without(path)); err != nil {
		return err
	}
	return d.pruneState(r.Table[:len(r.Table)-1])
}

// pruneState takes out a table that has nothing in it and stands in the braces of another: that is
// where SetTrust puts it. Any other was there before.
func (d *tomlDocument) pruneState(path []string) error {
	list, err := items(d.text)
	if err != nil {
		return err
	}
	v, ok := find(list, path)
	own := slices.ContainsFunc(list, func(it item) bool { return slices.Equal(it.path, path) })
	if !ok || own || v.kind != unstable.InlineTable || len(v.kids) > 0 {
		return nil
	}
	changed, err := d.removed(path)
	if err != nil {
		return err
	}
	return d.commit(changed, without(path))
}

// without returns what deletes the value at path from a tree.
func without(path []string) func(tree map[string]any) {
	return func(tree map[string]any) {
		for _, key := range path[:len(path)-1] {
			tree = tree[key].(map[string]any)
		}
		delete(tree, path[len(path)-1])
	}
}
