package sqlitefile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"sort"
	"strings"
)

// Table is a table with row ids.
type Table struct {
	f       *File
	root    uint32
	Columns []string
}

// Index is an index of a table.
type Index struct {
	f    *File
	root uint32
}

// Table returns the table of a name. ok is false if there is none.
func (f *File) Table(name string) (t Table, ok bool, err error) {
	root, sql, err := f.find("table", name)
	return Table{f, root, columns(sql)}, root > 0, err
}

// Index returns the index of a name. ok is false if there is none.
func (f *File) Index(name string) (x Index, ok bool, err error) {
	root, _, err := f.find("index", name)
	return Index{f, root}, root > 0, err
}

// find looks in the table of all tables and indexes: type, name, table, root page, SQL.
func (f *File) find(kind, name string) (root uint32, sql string, err error) {
	schema := Table{f: f, root: 1}
	err = schema.Each(func(_ int64, row Row) error {
		if string(row.At(0).Bytes) == kind && string(row.At(1).Bytes) == name {
			root, sql = uint32(row.At(3).Int), string(row.At(4).Bytes)
		}
		return nil
	})
	return root, sql, err
}

// columns returns the names of the columns in a CREATE TABLE statement.
func columns(sql string) (names []string) {
	_, body, _ := strings.Cut(sql, "(")
	depth, begin := 0, 0
	for i := range len(body) {
		switch {
		case body[i] == '(':
			depth++
		case body[i] == ')' && depth > 0:
			depth--
		case depth == 0 && (body[i] == ',' || body[i] == ')'):
			words := strings.Fields(body[begin:i])
			if len(words) == 0 || slices.Contains([]string{"CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"}, words[0]) {
				return names
			}
			names = append(names, strings.Trim(words[0], "`\"[]'"))
			begin = i + 1
		}
	}
	return names
}

// Column returns the position of a column, -1 if there is none of this name.
func (t Table) Column(name string) int { return slices.Index(t.Columns, name) }

// Each calls visit for all rows, by row id, until it returns an error, which Each returns. The row's bytes are
// valid until visit returns.
func (t Table) Each(visit func(rowid int64, row Row) error) error {
	return t.f.walk(t.root, innerTable, leafTable, func(n node, i int) error {
		rowid, payload, err := t.f.tableCell(n, i)
		if err != nil {
			return err
		}
		b, err := payload()
		if err != nil {
			return err
		}
		row, err := record(b)
		if err != nil {
			return err
		}
		return visit(rowid, row)
	})
}

// Get returns the row of a row id, nil if there is none.
func (t Table) Get(rowid int64) (Row, error) {
	number := t.root
	for range maxLevels {
		n, err := t.f.node(number)
		if err != nil {
			return nil, err
		}
		if n.kind != leafTable {
			if number, err = n.child(rowid); err != nil {
				return nil, err
			}
			continue
		}
		at, err := n.search(func(i int) (bool, error) {
			id, _, err := t.f.tableCell(n, i)
			return id >= rowid, err
		})
		if err != nil || at == n.count() {
			return nil, err
		}
		id, payload, err := t.f.tableCell(n, at)
		if err != nil || id != rowid {
			return nil, err
		}
		b, err := payload()
		if err != nil {
			return nil, err
		}
		return record(b)
	}
	return nil, fmt.Errorf("%w: a tree without leaves", ErrFormat)
}

// child returns the page on the way to a row id.
func (n node) child(rowid int64) (uint32, error) {
	if n.kind != innerTable {
		return 0, fmt.Errorf("%w: a page of kind %d in a table", ErrFormat, n.kind)
	}
	at, err := n.search(func(i int) (bool, error) {
		c, err := n.cell(i)
		if err != nil {
			return false, err
		}
		key, _ := varint(c[4:])
		return key >= rowid, nil
	})
	if err != nil {
		return 0, err
	}
	return n.before(at)
}

// before returns the child before a cell, the last child for the number of cells.
func (n node) before(i int) (uint32, error) {
	if i == n.count() {
		return n.right, nil
	}
	c, err := n.cell(i)
	if err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint32(c), nil
}

// search returns the first cell that is not before what is searched for, the number of cells if there is none.
func (n node) search(reached func(i int) (bool, error)) (at int, err error) {
	at = sort.Search(n.count(), func(i int) bool {
		if err != nil {
			return true
		}
		var yes bool
		yes, err = reached(i)
		return yes
	})
	return at, err
}

// Each calls visit for all entries in their order, until it returns an error, which Each returns. An entry is a
// row of the indexed columns and the row id.
func (x Index) Each(visit func(Row) error) error {
	return x.f.walk(x.root, innerIndex, leafIndex, func(n node, i int) error {
		row, err := x.f.indexCell(n, i)
		if err != nil {
			return err
		}
		return visit(row)
	})
}

// Find returns the first entry that begins with a text, nil if there is none. The index must be in the order of
// the bytes, as SQLite's are unless they say otherwise.
func (x Index) Find(key []byte) (found Row, err error) {
	number := x.root
	for range maxLevels {
		n, err := x.f.node(number)
		if err != nil {
			return nil, err
		}
		if n.kind != innerIndex && n.kind != leafIndex {
			return nil, fmt.Errorf("%w: a page of kind %d in an index", ErrFormat, n.kind)
		}
		var entry Row
		at, err := n.search(func(i int) (bool, error) {
			row, err := x.f.indexCell(n, i)
			reached := bytes.Compare(row.At(0).Bytes, key) >= 0
			if reached {
				entry = row // the last one is the first in the page
			}
			return reached, err
		})
		if err != nil {
			return nil, err
		}
		if entry != nil && bytes.Equal(entry.At(0).Bytes, key) {
			found = entry
		}
		if n.kind == leafIndex {
			return found, nil
		}
		if number, err = n.before(at); err != nil { // an earlier one can only be there
			return nil, err
		}
	}
	return nil, fmt.Errorf("%w: a tree without leaves", ErrFormat)
}

// walk calls visit for the cells of a tree that hold rows, in their order: those of the leaves and, in an index,
// those of the inner pages.
func (f *File) walk(root uint32, inner, leaf byte, visit func(n node, i int) error) error {
	var down func(number uint32, level int) error
	down = func(number uint32, level int) error {
		if level > maxLevels {
			return fmt.Errorf("%w: a tree that does not end", ErrFormat)
		}
		n, err := f.node(number)
		if err != nil {
			return err
		}
		if n.kind != inner && n.kind != leaf {
			return fmt.Errorf("%w: page %d is of kind %d", ErrFormat, number, n.kind)
		}
		for i := range n.count() {
			if n.kind == inner {
				child, err := n.before(i)
				if err != nil {
					return err
				}
				if err := down(child, level+1); err != nil {
					return err
				}
			}
			if n.kind == leaf || inner == innerIndex {
				if err := visit(n, i); err != nil {
					return err
				}
			}
		}
		if n.kind == inner {
			return down(n.right, level+1)
		}
		return nil
	}
	return down(root, 0)
}
