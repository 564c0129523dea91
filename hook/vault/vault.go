// Package vault stores captured values: one small file per harness session, readable by its owner only. File names are hashes
// of session ids, so an id cannot lead out of the folder.
//
// It must not know harnesses or rules; package carry defines the meaning of the state.
package vault

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"wsi/hook/carry"
	"wsi/internal/plainfile"
	"wsi/internal/rename"
)

// Vault is a folder of sessions. Its methods may be called by several processes at once.
type Vault struct {
	Dir    string
	Waited *time.Duration // how long its methods wait for other processes is added to it, unless it is nil
}

// ErrNewer is returned for a session written by a newer wsi.
var ErrNewer = errors.New("written by a newer wsi")

var errCorrupt = errors.New("not a session file")

// errHeld is returned when a lock was not released in time.
var errHeld = errors.New("lock vault: another process holds the lock")

const (
	version  = 1
	lockName = "lock"
	lockWait = 2 * time.Second // how long a process waits for another one

	unused   = 30 * 24 * time.Hour // after that a session is deleted
	pruneMax = 16                  // files per run
)

// SessionKey returns the key of a session: a hash of its harness and id.
func SessionKey(harness, session string) string {
	sum := sha256.Sum256([]byte(harness + "\x00" + session))
	return hex.EncodeToString(sum[:16])
}

// path returns the path of a session's file. Sessions are spread over 256 folders to keep these small.
func (v Vault) path(harness, session string) string {
	key := SessionKey(harness, session)
	return filepath.Join(v.Dir, key[:2], key[2:]+".json")
}

var errNowhere = errors.New("no folder to keep values in: set HOME or WSI_STATE_DIR")

// Load returns the state of a session, the zero State if it is not stored. It returns an error if the file
// can be read but not written, as on a disk remounted read-only: its values may be older than the server's.
// The error is [ErrNewer] if a newer wsi wrote the session.
func (v Vault) Load(harness, session string) (carry.State, error) {
	if v.Dir == "" {
		return carry.State{}, errNowhere
	}
	state, err := load(v.path(harness, session))
	if err == nil && state.Next > 0 {
		err = rename.Check(filepath.Dir(v.path(harness, session)))
	}
	if err != nil {
		return carry.State{}, err
	}
	return state, nil
}

// load returns the state of a session's file, the zero State if there is none.
func load(path string) (carry.State, error) {
	raw, err := plainfile.Read(path)
	if err != nil {
		return carry.State{}, fmt.Errorf("read session: %w", err)
	}
	if raw == nil {
		return carry.State{}, nil
	}
	state, err := decode(raw)
	if err != nil {
		return carry.State{}, fmt.Errorf("%s: %w", path, err)
	}
	return state, nil
}

// Update changes the state of a session. No other process can change it while change runs. If change returns
// false, nothing is written. A file that cannot be decoded is renamed, not overwritten.
func (v Vault) Update(harness, session string, change func(*carry.State) bool) error {
	if v.Dir == "" {
		return errNowhere
	}
	path := v.path(harness, session)
	dir := filepath.Dir(path)
	unlock, err := v.lock(dir)
	if err != nil {
		return err
	}
	defer unlock()
	state, err := load(path)
	if errors.Is(err, errCorrupt) {
		err = rename.File(path, path+".corrupt")
	}
	if err != nil {
		return err
	}
	isNew := state.Next == 0
	if !change(&state) {
		return nil
	}
	raw, err := json.Marshal(file{version, state})
	if err == nil {
		err = rename.Write(path, raw)
	}
	if err != nil {
		return fmt.Errorf("save session: %w", err)
	}
	if isNew { // which is rare
		PruneFolder(dir, unused, pruneMax)
	}
	return nil
}

// Drop deletes a session. It works on a full disk and does not wait for other processes. It leaves a session
// that a newer wsi wrote.
func (v Vault) Drop(harness, session string) error {
	if _, err := v.Load(harness, session); errors.Is(err, ErrNewer) || errors.Is(err, errNowhere) {
		return nil
	}
	if err := os.Remove(v.path(harness, session)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("drop session: %w", err)
	}
	return nil
}

// lock locks a folder, and makes it if it is missing. It waits a limited time, so that a hook cannot block the agent for ever, and in
// the kernel's queue, because polling starves some of many processes.
func (v Vault) lock(dir string) (unlock func(), err error) {
	l := flock.New(filepath.Join(dir, lockName), flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	unlock = func() { _ = l.Close() } // this unlocks it
	ok, err := l.TryLock()
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("make vault: %w", err)
		}
		ok, err = l.TryLock()
	}
	if !ok && err == nil {
		if start := time.Now(); v.Waited != nil {
			defer func() { *v.Waited += time.Since(start) }()
		}
		locked, givenUp := make(chan error), make(chan struct{})
		go func() {
			err := l.Lock()
			select {
			case locked <- err:
			case <-givenUp: // locked too late
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

// PruneFolder deletes the files of one folder that have not changed for longer than unused, at most so many in one
// run, but not its lock. What it cannot delete it tries again next time.
func PruneFolder(dir string, unused time.Duration, most int) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if most == 0 {
			return
		}
		info, err := e.Info()
		if err == nil && e.Name() != lockName && time.Since(info.ModTime()) > unused && os.Remove(filepath.Join(dir, e.Name())) == nil {
			most--
		}
	}
}

// MaxOthers is how many sessions a hook reads when it looks for a value of another session.
const MaxOthers = 64

// Others returns the states of the sessions other than one, at most so many, the most recently changed first.
// It skips those that cannot be read. It lists folders, so it is too slow for every call.
func (v Vault) Others(harness, session string, most int) []carry.State {
	own := v.path(harness, session)
	type file struct {
		path    string
		changed time.Time
	}
	var files []file
	folders, _ := os.ReadDir(v.Dir) // none without a vault
	for _, folder := range folders {
		entries, _ := os.ReadDir(filepath.Join(v.Dir, folder.Name()))
		for _, e := range entries {
			path := filepath.Join(v.Dir, folder.Name(), e.Name())
			if info, err := e.Info(); err == nil && filepath.Ext(path) == ".json" && path != own && info.Mode().Type() == fs.FileMode(0) {
				files = append(files, file{path, info.ModTime()})
			}
		}
	}
	slices.SortFunc(files, func(a, b file) int {
		return cmp.Or(b.changed.Compare(a.changed), cmp.Compare(a.path, b.path))
	})
	var states []carry.State
	for _, f := range files[:min(len(files), most)] {
		if state, err := load(f.path); err == nil {
			states = append(states, state)
		}
	}
	return states
}

// file is a session's file.
type file struct {
	Version int `json:"version"`
	carry.State
}

// decode decodes the content of a session's file. Its errors quote nothing of the file.
func decode(raw []byte) (carry.State, error) {
	var f file
	err := json.Unmarshal(raw, &f)
	if wrong := new(json.UnmarshalTypeError); f.Version > version && (err == nil || errors.As(err, &wrong)) {
		return carry.State{}, ErrNewer // the rest may have another form
	}
	if err != nil || f.Version < 1 {
		return carry.State{}, errCorrupt
	}
	return f.State, nil
}

// Current is the specification's file current.token: the value last captured by the workflow-server rule. A
// user pastes it to resume, and an event without a session id uses it. An event with a session id never
// does, because the server would accept another session's token and rewind that session.
type Current struct{ Path string }

// CurrentIn returns the file below a home folder. Without a home it has no path: then it has no value and keeps none.
func CurrentIn(home string) Current {
	if !filepath.IsAbs(home) {
		return Current{}
	}
	return Current{Path: filepath.Join(home, ".claude", "workflow-server-tokens", "current.token")}
}

// Load returns the value, "" if there is none.
func (c Current) Load() (string, error) {
	raw, err := plainfile.Read(c.Path)
	if err != nil {
		return "", fmt.Errorf("read current token: %w", err)
	}
	return strings.TrimSpace(string(raw)), nil
}

// Save makes value the current one, unless it is "".
func (c Current) Save(value string) error {
	if value == "" || c.Path == "" {
		return nil
	}
	if err := rename.Write(c.Path, []byte(value)); err != nil {
		return fmt.Errorf("save current token: %w", err)
	}
	return nil
}
