// Package vault keeps captured values: one small file per harness session, readable by its owner
// only, and on Linux a spare one that takes turns with it. Session ids go into file names as a hash,
// so that no id can leave the folder.
//
// It must not know harnesses or rules; what a file means is package carry's.
package vault

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"wsi/hook/carry"
	"wsi/internal/atomicfile"
	"wsi/internal/plainfile"
)

// Vault is a folder of sessions. Its methods may be used by any number of processes at once.
type Vault struct {
	Dir    string
	Memory *Memory // of a process that lives long; nil for none
}

// ErrNewer is returned for a session kept by a wsi that is newer than this one.
var ErrNewer = errors.New("written by a newer wsi")

// errCorrupt marks a file that is no session.
var errCorrupt = errors.New("not a session file")

// errHeld is returned when a lock was waited for in vain.
var errHeld = errors.New("lock vault: another process holds it")

const (
	version  = 1
	lockWait = 2 * time.Second
)

// SessionKey is the name under which a session is kept: a hash of its harness and id.
func SessionKey(harness, session string) string {
	sum := sha256.Sum256([]byte(harness + "\x00" + session))
	return hex.EncodeToString(sum[:16])
}

// path spreads sessions over folders, so that a folder stays small however many there are.
func (v Vault) path(harness, session string) string {
	key := SessionKey(harness, session)
	return filepath.Join(v.Dir, key[:2], key[2:]+".json")
}

// errNowhere is returned by a vault without a folder: there is no home and nothing else is set.
var errNowhere = errors.New("no folder to keep values in: set HOME or WSI_STATE_DIR")

// Load returns the state of a session, the zero State if it is not kept. A session that can be read
// but not written, as on a disk that was remounted, is an error: its values may be older than the
// server's.
func (v Vault) Load(harness, session string) (carry.State, error) {
	if v.Dir == "" {
		return carry.State{}, errNowhere
	}
	if v.Memory.alone() {
		return v.Memory.load(v.path(harness, session)), nil
	}
	state, err := v.load(v.path(harness, session))
	if err == nil && state.Next > 0 {
		err = atomicfile.Check(v.path(harness, session))
	}
	if err != nil {
		return carry.State{}, err
	}
	return state, nil
}

func (v Vault) load(path string) (carry.State, error) {
	raw, err := plainfile.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return carry.State{}, nil
	}
	if err != nil {
		return carry.State{}, fmt.Errorf("read session: %w", err)
	}
	if state, ok := v.Memory.recall(path, raw); ok {
		return state, nil
	}
	state, err := decode(raw)
	if err != nil {
		return carry.State{}, fmt.Errorf("%s: %w", path, err)
	}
	v.Memory.remember(path, raw, state)
	return state, nil
}

// Update changes the state of a session. change runs while no other process can change it; if it
// returns false nothing is written. A file that cannot be read is set aside, not overwritten.
func (v Vault) Update(harness, session string, change func(*carry.State) bool) error {
	if v.Dir == "" {
		return errNowhere
	}
	path := v.path(harness, session)
	if v.Memory.alone() {
		v.Memory.update(path, change)
		return nil
	}
	dir := filepath.Dir(path)
	unlock, err := lock(filepath.Join(dir, "lock"))
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("make vault: %w", err)
		}
		unlock, err = lock(filepath.Join(dir, "lock"))
	}
	if err != nil {
		return err
	}
	defer unlock()

	state, err := v.load(path)
	if errors.Is(err, errCorrupt) {
		err = os.Rename(path, path+".corrupt")
	}
	if err != nil {
		return err
	}
	isNew := state.Next == 0
	if !change(&state) {
		return nil
	}
	raw := encode(state)
	if err := replace(path, spareOf(path), raw); err != nil {
		return fmt.Errorf("keep session: %w", err)
	}
	v.Memory.remember(path, raw, state)
	if isNew {
		prune(dir, time.Now())
	}
	return nil
}

// Drop forgets a session. It works on a full disk and does not wait for others. A session that a
// newer wsi keeps stays.
func (v Vault) Drop(harness, session string) error {
	if _, err := v.Load(harness, session); errors.Is(err, ErrNewer) || errors.Is(err, errNowhere) {
		return nil
	}
	path := v.path(harness, session)
	if v.Memory.alone() {
		v.Memory.drop(path)
		return nil
	}
	for _, name := range []string{path, spareOf(path)} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("drop session: %w", err)
		}
	}
	return nil
}

// lock waits a bounded time: a hook that waits for ever holds the agent up. It waits in the kernel's
// queue, for with many processes at once polling starves some of them.
func lock(path string) (unlock func(), err error) {
	l, err := openLock(path)
	if err != nil {
		return nil, fmt.Errorf("lock vault: %w", err)
	}
	unlock = func() { _ = l.Close() } // closing is unlocking; the process ends soon anyway
	ok, err := l.TryLock()
	if !ok && err == nil {
		locked, givenUp := make(chan error), make(chan struct{})
		go func() {
			err := l.Lock()
			select {
			case locked <- err:
			case <-givenUp: // it comes late, and a relay lives on
				_ = l.Close()
			}
		}()
		select {
		case err = <-locked:
		case <-time.After(lockWait):
			close(givenUp)
			return nil, errHeld
		}
	}
	if err != nil {
		_ = l.Close()
		return nil, fmt.Errorf("lock vault: %w", err)
	}
	return unlock, nil
}
