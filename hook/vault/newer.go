package vault

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"

	"wsi/internal/plainfile"
)

// quick reports whether a process that runs for long keeps files open. Windows deletes no folder with such a file.
const quick = runtime.GOOS != "windows"

// A process that runs for long writes a session's newest state into a second file, which it keeps open: a reader takes that
// state if it belongs to what the session's file holds. The file has two places for a state, and a writer uses the one without
// the newest, so that a process that is killed while it writes loses nothing. At its beginning is a head for each place, which
// is written last. A newer session's file, also one that an older wsi has written, makes all of it invalid.
func newerOf(path string) string { return path + ".newer" }

// head describes a state in the file of newer states. The zero head is that of none.
type head struct {
	base  uint64 // the session's file that the state is newer than
	count uint64 // orders the states
	size  uint32
	sum   uint32
}

const (
	headSize = 28 // with a checksum
	maxNewer = 64 << 10
)

// startOf returns where the state of a place begins.
func startOf(i int) int64 { return 4096 + int64(i)*maxNewer }

// baseOf identifies what a session's file holds.
func baseOf(file []byte) uint64 {
	return uint64(len(file))<<32 | uint64(checksum(file))
}

// heads are those of the two places, as they are in the file.
type heads [2 * headSize]byte

func (h *heads) set(i int, to head) {
	raw := h[i*headSize : (i+1)*headSize]
	binary.LittleEndian.PutUint64(raw, to.base)
	binary.LittleEndian.PutUint64(raw[8:], to.count)
	binary.LittleEndian.PutUint32(raw[16:], to.size)
	binary.LittleEndian.PutUint32(raw[20:], to.sum)
	binary.LittleEndian.PutUint32(raw[24:], checksum(raw[:24]))
}

// get returns a head. ok is false if it is being written.
func (h *heads) get(i int) (is head, ok bool) {
	raw := h[i*headSize : (i+1)*headSize]
	is = head{binary.LittleEndian.Uint64(raw), binary.LittleEndian.Uint64(raw[8:]), binary.LittleEndian.Uint32(raw[16:]), binary.LittleEndian.Uint32(raw[20:])}
	return is, is == head{} || checksum(raw[:24]) == binary.LittleEndian.Uint32(raw[24:]) && is.size <= maxNewer
}

// readHeads reads the heads of the places, none if there is no such file.
func (k *kept) readHeads() (h heads, err error) {
	if k.newer == nil {
		k.newer, err = plainfile.Open(newerOf(k.path), os.O_RDWR, 0)
		if errors.Is(err, fs.ErrNotExist) {
			return h, nil
		}
		if err != nil {
			return h, fmt.Errorf("read session: %w", err)
		}
	}
	if _, err := k.newer.ReadAt(h[:], 0); err != nil && !errors.Is(err, io.EOF) {
		return h, fmt.Errorf("read session: %w", err)
	}
	return h, nil
}

// isAt reports whether an open file is still the one at a path.
func isAt(f interface{ Stat() (fs.FileInfo, error) }, path string) bool {
	is, err := f.Stat()
	at, gone := os.Stat(path)
	return err == nil && gone == nil && os.SameFile(is, at)
}

// place returns the place of the newest state, -1 if that is in the session's file, and the count of the next one.
func (k *kept) place(locked bool) (at int, next uint64, err error) {
	at = -1
	for i := range 2 {
		h, ok := k.heads.get(i)
		switch {
		case ok:
			if h.base == k.base && (at < 0 || h.count >= next) {
				at = i
			}
			next = max(next, h.count+1)
		case !locked:
			return -1, 0, errTorn
		}
	}
	return at, next, nil
}

// newest reads the newest state, nil if that is in the session's file.
func (k *kept) newest(locked bool) (raw []byte, err error) {
	for {
		at, _, err := k.place(locked)
		if at < 0 || err != nil {
			return nil, err
		}
		h, _ := k.heads.get(at)
		raw = make([]byte, h.size)
		if n, _ := k.newer.ReadAt(raw, startOf(at)); n == len(raw) && checksum(raw) == h.sum {
			return raw, nil
		}
		if !locked {
			return nil, errTorn
		}
		k.heads.set(at, head{}) // only a power failure does that
	}
}

// writeNewer writes a state into the place that has not the newest.
func (k *kept) writeNewer(raw []byte) (err error) {
	if k.newer == nil {
		if k.newer, err = plainfile.Open(newerOf(k.path), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
			return err
		}
	}
	at, next, _ := k.place(true)
	to := 0
	if at == 0 {
		to = 1
	}
	if _, err := k.newer.WriteAt(raw, startOf(to)); err != nil {
		return err
	}
	k.heads.set(to, head{k.base, next, uint32(len(raw)), checksum(raw)}) //nolint:gosec // at most maxNewer
	_, err = k.newer.WriteAt(k.heads[to*headSize:(to+1)*headSize], int64(to)*headSize)
	return err
}
