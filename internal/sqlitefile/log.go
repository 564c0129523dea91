package sqlitefile

import (
	"encoding/binary"
	"fmt"
	"io"
)

const (
	logHead   = 32 // bytes before the first frame
	frameHead = 24 // bytes before the page of a frame
)

// readLog finds the newest committed version of each page in the write-ahead log. Frames of an older log behind
// the last valid one, and those of a transaction that has not been committed, do not count.
func (f *File) readLog(size int64) error {
	head := make([]byte, logHead)
	if _, err := f.log.ReadAt(head, 0); err != nil {
		return nil //nolint:nilerr // an empty log: everything is in the database
	}
	var order binary.ByteOrder = binary.LittleEndian
	switch binary.BigEndian.Uint32(head) {
	case 0x377f0682:
	case 0x377f0683:
		order = binary.BigEndian
	default:
		return nil
	}
	sum := checksum{order: order}
	sum.add(head[:24])
	if int(binary.BigEndian.Uint32(head[8:])) != f.pageSize || !sum.is(head[24:]) {
		return nil // SQLite ignores such a log
	}
	salts := string(head[16:24])
	f.logged = map[uint32]int64{}
	open := map[uint32]int64{} // of the transaction
	frames := io.NewSectionReader(f.log, logHead, size-logHead)
	frame := make([]byte, frameHead+f.pageSize)
	for at := int64(logHead); ; at += int64(len(frame)) {
		if _, err := io.ReadFull(frames, frame); err != nil {
			return nil //nolint:nilerr // the end of the log, or a frame that is being written
		}
		sum.add(frame[:8])
		sum.add(frame[frameHead:])
		if string(frame[8:16]) != salts || !sum.is(frame[16:]) {
			return nil
		}
		open[binary.BigEndian.Uint32(frame)] = at + frameHead
		if len(open)+len(f.logged) > maxLogged {
			return fmt.Errorf("%w: its log has more than %d pages", ErrFormat, maxLogged)
		}
		if pages := binary.BigEndian.Uint32(frame[4:]); pages > 0 { // a commit
			f.pages = int64(pages)
			for number, offset := range open {
				f.logged[number] = offset
			}
			clear(open)
		}
	}
}

// checksum is the running checksum of a log.
type checksum struct {
	order  binary.ByteOrder
	s0, s1 uint32
}

// add adds bytes, eight at a time.
func (c *checksum) add(b []byte) {
	for ; len(b) >= 8; b = b[8:] {
		c.s0 += c.order.Uint32(b) + c.s1
		c.s1 += c.order.Uint32(b[4:]) + c.s0
	}
}

func (c *checksum) is(stored []byte) bool {
	return c.s0 == binary.BigEndian.Uint32(stored) && c.s1 == binary.BigEndian.Uint32(stored[4:])
}
