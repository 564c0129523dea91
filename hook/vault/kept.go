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

	file  []byte      // what the session's file holds; nil if there is none
	info  fs.FileInfo // of that file; nil if a change of it might not show there
	newer *os.File    // of newer states; nil if there is none
	heads heads       // of newer
	ahead bool        // the state is one of newer
	raw   []byte      // the encoded state
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
	heads, err := k.readHeads(locked)
	if err != nil {
		return err
	}
	if heads == k.heads && k.isUnchanged() {
		return nil
	}
	k.heads = heads
	// The session's file is read after the heads: if it has been written since, it holds what they describe, or more.
	switch file, err := k.readFile(); {
	case errors.Is(err, fs.ErrNotExist):
		k.forget()
		return nil
	case err != nil:
		return fmt.Errorf("read session: %w", err)
	default:
		k.file = file
	}
	raw, err := k.newest(locked)
	k.ahead = raw != nil
	if !k.ahead {
		raw = k.file
	}
	if err != nil || bytes.Equal(raw, k.raw) {
		return err
	}
	k.raw, k.mine = nil, false
	if k.state, err = decode(raw); err != nil {
		k.file, k.info = nil, nil
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
	raw := encode(state)
	if k.ahead = k.long && quick && k.file != nil && len(raw) <= maxNewer && k.writeNewer(raw) == nil; !k.ahead {
		if err := k.writeFile(raw); err != nil {
			return err
		}
	}
	k.raw, k.state, k.mine = raw, state, true
	return nil
}

func (k *kept) writeFile(raw []byte) error {
	if err := replace(k.path, spareOf(k.path), raw); err != nil {
		return err
	}
	k.file, k.info = raw, nil
	return nil
}
