package vault

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"runtime"
	"time"

	"wsi/hook/carry"
	"wsi/internal/plainfile"
)

// A process that runs for long writes a session's newest state into a second file, which it keeps open. That state counts if
// its head names what the session's file holds, so a session's file that is written later, also by an older wsi, replaces it.
// There are two places for a state. A writer takes the one without the newest, and writes the head last: a process that is
// killed while it writes loses nothing.
func newerOf(path string) string { return path + ".newer" }

// head describes the state in a place. The heads of both places are at the beginning of the file.
type head struct {
	Base  uint64 // what the session's file held; see baseOf
	Count uint64 // the highest is the newest
	Size  uint32
	Sum   uint32
}

const (
	headSize = 24
	maxNewer = 64 << 10 // bytes of a state

	// quick is true where files are kept open. Windows deletes no folder with such a file.
	quick = runtime.GOOS != "windows"
	// A file that is written twice within this time may show the same time twice.
	clockStep = 50 * time.Millisecond
)

func startOf(place int) int64 { return 4096 + int64(place)*maxNewer }

func baseOf(file []byte) uint64 { return uint64(len(file))<<32 | uint64(crc32.ChecksumIEEE(file)) }

// kept is what a process knows of a session's files.
type kept struct {
	path string
	long bool // by a process that runs for long

	base  uint64      // of the session's file; 0 if there is none
	info  fs.FileInfo // of that file; nil if a change of it might not show there
	newer *os.File    // with newer states; nil if there is none
	heads [2]head
	at    int    // the place of the state; -1 if it is in the session's file
	raw   []byte // the encoded state
	state carry.State
}

// errTorn is returned for a state that was written while it was read.
var errTorn = errors.New("another process writes the session")

// forget makes the next use read everything again.
func (k *kept) forget() {
	_ = k.newer.Close() // it may be nil
	*k = kept{path: k.path, long: k.long, at: -1}
}

// showsChanges reports whether a later change of a file shows in its time. Whole seconds are those of a coarse file system.
func showsChanges(info fs.FileInfo) bool {
	at := info.ModTime()
	return at.Nanosecond() != 0 && time.Since(at) > clockStep
}

// refresh reads what other processes have changed.
func (k *kept) refresh() error {
	if k.newer != nil && !plainfile.IsAt(k.newer, newerOf(k.path)) { // it was deleted, with the session or alone
		k.forget()
	}
	heads, err := k.readHeads()
	if err == nil && heads == k.heads && k.isUnchanged() {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read session: %w", err)
	}
	k.info = nil
	if info, err := os.Stat(k.path); err == nil && k.long && quick && showsChanges(info) {
		k.info = info
	}
	// The session's file is read after the heads: if it has been written since, it holds what they describe, or more.
	raw, err := plainfile.Read(k.path)
	if errors.Is(err, fs.ErrNotExist) {
		k.forget()
		return nil
	}
	if err != nil {
		return fmt.Errorf("read session: %w", err)
	}
	k.heads, k.base, k.at = heads, baseOf(raw), -1
	for i, h := range heads {
		if h.Base == k.base && h.Size-1 < maxNewer && (k.at < 0 || h.Count > heads[k.at].Count) {
			k.at = i
		}
	}
	if k.at >= 0 {
		h := heads[k.at]
		raw = make([]byte, h.Size)
		if n, _ := k.newer.ReadAt(raw, startOf(k.at)); n < len(raw) || crc32.ChecksumIEEE(raw) != h.Sum {
			k.forget()
			return errTorn
		}
	}
	if bytes.Equal(raw, k.raw) {
		return nil
	}
	state, err := decode(raw)
	if err != nil {
		k.forget()
		return fmt.Errorf("%s: %w", k.path, err)
	}
	k.raw, k.state = raw, state
	return nil
}

// readHeads reads the heads; without the file they are zero.
func (k *kept) readHeads() (h [2]head, err error) {
	if k.newer == nil {
		k.newer, err = plainfile.Open(newerOf(k.path), os.O_RDWR, 0)
		if errors.Is(err, fs.ErrNotExist) {
			return h, nil
		}
	}
	if err == nil {
		var raw [2 * headSize]byte
		_, err = k.newer.ReadAt(raw[:], 0)
		_, _ = binary.Decode(raw[:], binary.LittleEndian, &h) // there are enough bytes
	}
	if errors.Is(err, io.EOF) { // it has just been made
		err = nil
	}
	return h, err
}

func (k *kept) isUnchanged() bool {
	if k.info == nil {
		return false
	}
	now, err := os.Stat(k.path)
	return err == nil && os.SameFile(now, k.info) && now.ModTime().Equal(k.info.ModTime()) && now.Size() == k.info.Size()
}

// write makes a state the newest, in the session's own file if that is asked for or the other one has no room.
func (k *kept) write(state carry.State, own bool) error {
	raw := encode(state)
	if own || !k.long || !quick || k.base == 0 || len(raw) > maxNewer || k.writeNewer(raw) != nil {
		if err := replace(k.path, spareOf(k.path), raw); err != nil {
			return err
		}
		k.base, k.info, k.at = baseOf(raw), nil, -1
	}
	k.raw, k.state = raw, state
	return nil
}

func (k *kept) writeNewer(raw []byte) (err error) {
	if k.newer == nil {
		if k.newer, err = plainfile.Open(newerOf(k.path), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
			return err
		}
	}
	to, h := 0, head{k.base, 1, uint32(len(raw)), crc32.ChecksumIEEE(raw)}
	if k.at >= 0 {
		to, h.Count = 1-k.at, k.heads[k.at].Count+1
	}
	if _, err := k.newer.WriteAt(raw, startOf(to)); err != nil {
		return err
	}
	encoded, _ := binary.Append(nil, binary.LittleEndian, h) // of fixed size
	_, err = k.newer.WriteAt(encoded, int64(to)*headSize)
	k.heads[to], k.at = h, to
	return err
}
