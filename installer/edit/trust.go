package edit

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"wsi/harnesses/setup"
)

// SetTrust adds a trust record to a TOML file: to its table, in any notation, or to a new one at the end. If the file has
// the record already, SetTrust changes nothing.
func SetTrust(content []byte, r setup.TrustRecord) ([]byte, error) {
	d, err := openDocument(content)
	if err != nil {
		return nil, err
	}
	tree, err := setup.DecodeTOML(d.text)
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

// trusting returns the text with the record; depth is the number of existing parts of its table.
func (d *tomlDocument) trusting(r setup.TrustRecord, depth int) ([]byte, error) {
	value := quoteTOML(r.Value)
	if depth == len(r.Table) {
		return d.assign(r.Table, r.Key, value)
	}
	list, err := items(d.text)
	if err != nil {
		return nil, err
	}
	// An inline table can only be extended inside its braces.
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
	return d.block("["+strings.Join(quoteAll(r.Table), ".")+"]", quoteAll([]string{r.Key})[0]+" = "+value), nil
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

// RemoveTrust removes the records that are in a TOML file with the same value, and their tables if these are empty then.
func RemoveTrust(content []byte, records []setup.TrustRecord) ([]byte, error) {
	records = slices.DeleteFunc(slices.Clone(records), func(r setup.TrustRecord) bool {
		written := strings.Trim(quoteTOML(r.Value), `"`)
		return !bytes.Contains(content, []byte(written))
	})
	if len(records) == 0 {
		return content, nil // errors in a file without a record do not matter
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

func (d *tomlDocument) distrust(r setup.TrustRecord) error {
	tree, err := setup.DecodeTOML(d.text)
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

// pruneState removes an empty inline table inside another one, as SetTrust creates it. Any other table existed before.
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

// without returns a function that deletes the value at path from a tree.
func without(path []string) func(tree map[string]any) {
	return func(tree map[string]any) {
		for _, key := range path[:len(path)-1] {
			tree = tree[key].(map[string]any)
		}
		delete(tree, path[len(path)-1])
	}
}
