package sqlitefile

import (
	"encoding/binary"
	"fmt"
)

// Value is a value of a row: a text or blob, or an integer. Nulls and floating-point numbers are the zero Value.
type Value struct {
	Bytes []byte
	Int   int64
}

// Row are the values of a row, in the order of the table's columns. Columns that were added after the row was
// written are missing.
type Row []Value

// At returns the value of a column, the zero Value if the row does not have it.
func (r Row) At(column int) Value {
	if column < 0 || column >= len(r) {
		return Value{}
	}
	return r[column]
}

// record decodes a record. Its texts are slices of b.
func record(b []byte) (Row, error) {
	damaged := fmt.Errorf("%w: a damaged row", ErrFormat)
	length, n := varint(b)
	if n == 0 || length < int64(n) || length > int64(len(b)) {
		return nil, damaged
	}
	head, body := b[n:length], b[length:]
	var row Row
	for len(head) > 0 {
		kind, n := varint(head)
		if n == 0 {
			return nil, damaged
		}
		head = head[n:]
		size := sizeOf(kind)
		if size < 0 || size > int64(len(body)) {
			return nil, damaged
		}
		row = append(row, valueOf(kind, body[:size]))
		body = body[size:]
	}
	return row, nil
}

// sizeOf returns the bytes of a value, -1 for a kind that there is not.
func sizeOf(kind int64) int64 {
	switch {
	case kind < 0 || kind == 10 || kind == 11:
		return -1
	case kind >= 12:
		return (kind - 12) / 2
	}
	return [...]int64{0, 1, 2, 3, 4, 6, 8, 8, 0, 0}[kind]
}

func valueOf(kind int64, b []byte) Value {
	switch {
	case kind >= 12:
		return Value{Bytes: b}
	case kind == 9:
		return Value{Int: 1}
	case kind == 0 || kind >= 7:
		return Value{}
	}
	v := int64(int8(b[0]))
	for _, c := range b[1:] {
		v = v<<8 | int64(c)
	}
	return Value{Int: v}
}

// varint decodes a number and returns how many bytes it takes, 0 if b ends before it.
func varint(b []byte) (v int64, n int) {
	var u uint64
	for i := range min(len(b), 9) {
		if i == 8 {
			return int64(u<<8 | uint64(b[i])), 9
		}
		u = u<<7 | uint64(b[i]&0x7f)
		if b[i] < 0x80 {
			return int64(u), i + 1
		}
	}
	return 0, 0
}

func uint16At(b []byte, at int) int { return int(binary.BigEndian.Uint16(b[at:])) }
