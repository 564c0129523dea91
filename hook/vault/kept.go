package vault

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"wsi/hook/carry"
	"wsi/internal/plainfile"
)

// kept is what a process knows of a session's files. The zero one knows nothing.
type kept struct {
	path string
	long bool // by a process that runs for long

	base  uint64      // what the session's file holds, see baseOf; 0 if there is none
	info  fs.FileInfo // of that file; nil if a change of it might not show there
	newer *os.File    // of newer states; nil if there is none
	heads heads       // of newer
	ahead bool        // the state is one of newer
	raw   []byte      // the encoded state
	free  []byte      // room for the next one
	state carry.State
	mine  bool // the process has written it last
}

// errTorn is returned for a file of newer states that was written while it was read.
var errTorn = errors.New("another process writes the session")

// A file that was written twice within the time that the clock of files stands still looks as if it was written once.
const clockStep = 50 * time.Millisecond

// copy returns the state. The caller may change it.
func (k *kept) copy() carry.State {
	if !k.long {
		return k.state
	}
	return clone(k.state)
}

// forget makes the next use read everything again.
func (k *kept) forget() {
	if k.newer != nil {
		_ = k.newer.Close()
	}
	*k = kept{path: k.path, long: k.long}
}

// refresh reads what other processes have changed. locked says that none of them writes.
func (k *kept) refresh(locked bool) error {
	heads, err := k.readHeads()
	if err != nil {
		return err
	}
	if heads == k.heads && k.isUnchanged() {
		return nil
	}
	if locked && k.newer != nil && !isAt(k.newer, newerOf(k.path)) { // it was deleted with the session
		k.forget()
		if heads, err = k.readHeads(); err != nil {
			return err
		}
	}
	k.heads = heads
	// The session's file is read after the heads: if it has been written since, it holds what they describe, or more.
	file, err := k.readFile()
	if errors.Is(err, fs.ErrNotExist) {
		k.forget()
		return nil
	}
	if err != nil {
		return fmt.Errorf("read session: %w", err)
	}
	k.base = baseOf(file)
	raw, err := k.newest(locked)
	if k.ahead = raw != nil; !k.ahead {
		raw = file
	}
	if err != nil || bytes.Equal(raw, k.raw) {
		return err
	}
	k.raw, k.mine = nil, false
	if k.state, err = decode(raw); err != nil {
		k.base, k.info = 0, nil
		return fmt.Errorf("%s: %w", k.path, err)
	}
	k.raw = raw
	return nil
}

func (k *kept) isUnchanged() bool {
	if k.info == nil {
		return false
	}
	now, err := os.Stat(k.path)
	return err == nil && os.SameFile(now, k.info) && now.ModTime().Equal(k.info.ModTime()) && now.Size() == k.info.Size()
}

func (k *kept) readFile() ([]byte, error) {
	if k.info = nil; k.long && quick {
		if info, err := os.Stat(k.path); err == nil && time.Since(info.ModTime()) > clockStep {
			k.info = info
		}
	}
	return plainfile.Read(k.path)
}

// write makes a state the newest.
func (k *kept) write(state carry.State) error {
	raw := encode(k.free[:0], state)
	if k.ahead = k.long && quick && k.base != 0 && len(raw) <= maxNewer && k.writeNewer(raw) == nil; !k.ahead {
		if err := k.writeFile(raw); err != nil {
			return err
		}
	}
	k.free, k.raw, k.state, k.mine = k.raw, raw, state, true
	return nil
}

func (k *kept) writeFile(raw []byte) error {
	if err := replace(k.path, spareOf(k.path), raw); err != nil {
		return err
	}
	k.base, k.info = baseOf(raw), nil
	return nil
}
