package sqlitefile

import (
	"encoding/binary"
	"fmt"
)

// The kinds of pages in a tree.
const (
	innerIndex = 2
	innerTable = 5
	leafIndex  = 10
	leafTable  = 13
)

// node is a page of a tree.
type node struct {
	kind  byte
	page  []byte
	cells []byte // their offsets in the page, two bytes each
	right uint32 // the last child of an inner page
}

// maxLevels is far above what the largest database has.
const maxLevels = 24

func (f *File) node(number uint32) (node, error) {
	p, err := f.page(number)
	if err != nil {
		return node{}, err
	}
	at := 0
	if number == 1 {
		at = 100 // behind the database's header
	}
	n := node{kind: p[at], page: p}
	cells := at + 8
	if n.kind == innerIndex || n.kind == innerTable {
		n.right = binary.BigEndian.Uint32(p[at+8:])
		cells += 4
	}
	count := uint16At(p, at+3)
	if cells+2*count > len(p) {
		return node{}, fmt.Errorf("%w: page %d has %d cells", ErrFormat, number, count)
	}
	n.cells = p[cells : cells+2*count]
	return n, nil
}

func (n node) count() int { return len(n.cells) / 2 }

// cell returns the bytes of the page from a cell on.
func (n node) cell(i int) ([]byte, error) {
	at := uint16At(n.cells, 2*i)
	if at+4 > len(n.page) {
		return nil, fmt.Errorf("%w: a cell outside of its page", ErrFormat)
	}
	return n.page[at:], nil
}

// tableCell is a cell of a table's leaf.
func (f *File) tableCell(n node, i int) (rowid int64, payload func() ([]byte, error), err error) {
	c, err := n.cell(i)
	if err != nil {
		return 0, nil, err
	}
	size, a := varint(c)
	rowid, b := varint(c[a:])
	if a == 0 || b == 0 {
		return 0, nil, fmt.Errorf("%w: a damaged cell", ErrFormat)
	}
	return rowid, func() ([]byte, error) { return f.payload(c[a+b:], size, f.usable-35) }, nil
}

// indexCell is the row of a cell of an index. The cells of inner pages begin with a child's number.
func (f *File) indexCell(n node, i int) (Row, error) {
	c, err := n.cell(i)
	if err != nil {
		return nil, err
	}
	if n.kind == innerIndex {
		c = c[4:]
	}
	size, a := varint(c)
	if a == 0 {
		return nil, fmt.Errorf("%w: a damaged cell", ErrFormat)
	}
	b, err := f.payload(c[a:], size, (f.usable-12)*64/255-23)
	if err != nil {
		return nil, err
	}
	return record(b)
}

// payload returns size bytes that begin in a cell and, if they are more than most, go on in other pages.
func (f *File) payload(cell []byte, size int64, most int) ([]byte, error) {
	damaged := fmt.Errorf("%w: a damaged row", ErrFormat)
	switch {
	case size < 0:
		return nil, damaged
	case size > MaxRow:
		return nil, fmt.Errorf("%w: %d bytes", ErrTooLong, size)
	case size > f.pages*int64(f.pageSize):
		return nil, damaged
	}
	here := int(size)
	if here > most {
		least := (f.usable-12)*32/255 - 23
		here = least + (int(size)-least)%(f.usable-4)
		if here > most {
			here = least
		}
		if here+4 > len(cell) {
			return nil, damaged
		}
		all := append(make([]byte, 0, size), cell[:here]...)
		for next := binary.BigEndian.Uint32(cell[here:]); len(all) < int(size); {
			p, err := f.page(next)
			if err != nil {
				return nil, err
			}
			next = binary.BigEndian.Uint32(p)
			all = append(all, p[4:min(f.usable, 4+int(size)-len(all))]...)
		}
		return all, nil
	}
	if here > len(cell) {
		return nil, damaged
	}
	return cell[:here], nil
}
