// Package sqlitefile reads the tables of a SQLite database from its bytes, those that are still in its write-ahead
// log included. It never writes, takes no locks and creates no files next to the database, as the SQLite library
// does even for a reader. docs/decisions/0019 says why it exists.
//
// It knows the file format (https://www.sqlite.org/fileformat2.html) as far as ordinary tables and indexes need it.
// It must not know what the tables mean.
package sqlitefile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// ErrFormat is the error of bytes that are not a SQLite database, or of one that is damaged or was changed while
// it was read.
var ErrFormat = errors.New("not a readable SQLite database")

// ErrTooLong is the error of a row that is longer than MaxRow.
var ErrTooLong = errors.New("row too long")

// Limits of what is kept in memory.
const (
	MaxRow     = 16 << 20 // bytes of a row
	cacheBytes = 4 << 20
	maxLogged  = 1 << 20 // pages in the write-ahead log
)

// readings is how often a page may be read on average, those in the cache included: each row is looked up from the
// root of a tree. A damaged database can refer to the same pages without end.
const readings = 1000

// magic are the first bytes of every database.
const magic = "SQLite format 3\x00"

// Is reports whether a file that begins with these bytes is a SQLite database.
func Is(begin []byte) bool { return bytes.HasPrefix(begin, []byte(magic)) }

// File is a database as it was when it was opened. It is not safe for use by several goroutines.
type File struct {
	db, log  io.ReaderAt
	pageSize int
	usable   int   // bytes of a page that hold data
	pages    int64 // in the database
	logged   map[uint32]int64
	cache    []page
	left     int64 // how many pages may still be read
}

type page struct {
	number uint32
	bytes  []byte
}

// Open reads the header of a database of size bytes, and its write-ahead log, which is nil if there is none.
func Open(db io.ReaderAt, size int64, log io.ReaderAt, logSize int64) (*File, error) {
	head := make([]byte, 100)
	if _, err := db.ReadAt(head, 0); err != nil || !Is(head) {
		return nil, fmt.Errorf("%w: no header", ErrFormat)
	}
	f := &File{db: db, log: log, pageSize: int(binary.BigEndian.Uint16(head[16:]))}
	if f.pageSize == 1 {
		f.pageSize = 1 << 16
	}
	f.usable = f.pageSize - int(head[20])
	if f.pageSize < 512 || f.pageSize&(f.pageSize-1) != 0 || f.usable < 480 {
		return nil, fmt.Errorf("%w: pages of %d bytes", ErrFormat, f.pageSize)
	}
	f.pages = size / int64(f.pageSize)
	f.left = readings * ((size+logSize)/int64(f.pageSize) + 1)
	f.cache = make([]page, max(16, cacheBytes/f.pageSize))
	if log != nil {
		if err := f.readLog(logSize); err != nil {
			return nil, err
		}
	}
	first, err := f.page(1)
	if err != nil {
		return nil, err
	}
	if encoding := binary.BigEndian.Uint32(first[56:]); encoding > 1 {
		return nil, fmt.Errorf("%w: its texts are not UTF-8", ErrFormat)
	}
	return f, nil
}

// page returns the bytes of a page, of which the first has number 1. They must not be changed.
func (f *File) page(number uint32) ([]byte, error) {
	if number == 0 || int64(number) > f.pages {
		return nil, fmt.Errorf("%w: page %d of %d", ErrFormat, number, f.pages)
	}
	if f.left--; f.left < 0 {
		return nil, fmt.Errorf("%w: it refers to the same pages again and again", ErrFormat)
	}
	slot := &f.cache[int(number)%len(f.cache)]
	if slot.number == number {
		return slot.bytes, nil
	}
	from, at := f.db, int64(number-1)*int64(f.pageSize)
	if offset, ok := f.logged[number]; ok {
		from, at = f.log, offset
	}
	b := make([]byte, f.pageSize)
	if _, err := from.ReadAt(b, at); err != nil {
		return nil, fmt.Errorf("%w: page %d: %w", ErrFormat, number, err)
	}
	*slot = page{number, b}
	return b, nil
}
