package edit

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"wsi/harnesses/setup"
)

// SetTrust adds a trust record to a TOML file: to its table, in any notation, or to a new one at the end. If the file has
// the record already, SetTrust changes nothing.
func SetTrust(content []byte, r setup.TrustRecord) ([]byte, error) {
	d, err := openDocument(setup.TOML, content)
	if err != nil {
		return nil, err
	}
	tree, err := d.tree()
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
	keys := append(slices.Clone(r.Table), r.Key)
	changed, err := d.trusting(keys, depth, r.Value)
	if err == nil {
		err = d.commit(changed, keys, func(any) any { return r.Value })
	}
	return d.bytes(), err
}

// trusting returns the text with the value of a record; depth is the number of existing tables on its path.
func (d *document) trusting(keys []string, depth int, value any) ([]byte, error) {
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
			return d.extend(v, keys[n], d.raw(value)), nil
		}
	}
	return d.block("["+joined(keys[:last])+"]", d.member(keys[last], d.raw(value))), nil
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
		if err := d.distrust(r); err != nil {
			return nil, err
		}
	}
	return d.bytes(), nil
}

func (d *document) distrust(r setup.TrustRecord) error {
	tree, err := d.tree()
	if err != nil {
		return err
	}
	depth, table, err := descend(tree, r.Table)
	if err != nil || depth < len(r.Table) || table[r.Key] == nil || r.Value != "" && table[r.Key] != r.Value {
		return err
	}
	alone := len(table) == 1
	path := r.Table
	if !alone {
		path = append(slices.Clone(path), r.Key)
	}
	if err := d.remove(path, path); err != nil {
		return err
	}
	return d.pruneState(r.Table[:len(r.Table)-1])
}

// pruneState removes an empty inline table inside another one, as SetTrust creates it. Any other table existed before.
func (d *document) pruneState(path []string) error {
	all, err := d.items()
	if err != nil {
		return err
	}
	v, ok := d.find(path...)
	own := slices.ContainsFunc(all, func(it item) bool { return slices.Equal(it.path, path) })
	if !ok || own || v.kind != kindObject || len(v.kids) > 0 {
		return nil
	}
	return d.remove(path, path)
}
