// Package statedir keeps a server's state and ledger in a folder that several processes use at the same time: a
// harness starts a server per agent, and another one when it resumes a session.
//
// It must not know what the state and the ledger contain.
package statedir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"wsi/internal/plainfile"
)

// Dir is a folder with state.json, ledger.jsonl and a lock file.
type Dir string

// Update calls change with the state, the zero value at first, while it holds the lock. It writes the changed state and appends the
// entry to the ledger, unless the entry is nil. If change fails, Update writes nothing and returns the error.
func Update[S any](d Dir, change func(state *S) (entry any, err error)) error {
	if err := os.MkdirAll(string(d), 0o700); err != nil {
		return fmt.Errorf("make the server's folder: %w", err)
	}
	return d.locked(func() error {
		var state S
		if err := d.decode(&state); err != nil {
			return err
		}
		entry, err := change(&state)
		if err == nil {
			err = d.write(state)
		}
		if err != nil || entry == nil {
			return err
		}
		return d.append(entry)
	})
}

// State returns the state, the zero value if the folder or the state does not exist.
func State[S any](d Dir) (state S, err error) {
	err = d.ifExists(func() error { return d.decode(&state) })
	return state, err
}

// Ledger returns the ledger's entries in order, or none if the folder does not exist.
func Ledger[T any](d Dir) (entries []T, err error) {
	err = d.ifExists(func() error {
		raw, err := d.read("ledger.jsonl")
		for line := range bytes.Lines(raw) {
			var e T
			if err := json.Unmarshal(line, &e); err != nil {
				return fmt.Errorf("read the ledger, line %d: %w", len(entries)+1, err)
			}
			entries = append(entries, e)
		}
		return err
	})
	return entries, err
}

func (d Dir) path(name string) string { return filepath.Join(string(d), name) }

func (d Dir) locked(do func() error) (err error) {
	lock := flock.New(d.path("lock"), flock.SetPermissions(0o600))
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("lock the server's folder: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	return do()
}

// ifExists is locked for a reader. It does nothing if the folder does not exist.
func (d Dir) ifExists(do func() error) error {
	if _, err := os.Stat(string(d)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return d.locked(do)
}

func (d Dir) decode(state any) error {
	raw, err := d.read("state.json")
	if err == nil && raw != nil {
		err = json.Unmarshal(raw, state)
	}
	if err != nil {
		return fmt.Errorf("read the server's state: %w", err)
	}
	return nil
}

// read returns nil if the file does not exist.
func (d Dir) read(name string) ([]byte, error) {
	raw, err := os.ReadFile(d.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return raw, err
}

// write uses a rename, so that a killed process leaves the old state or the new one.
func (d Dir) write(state any) error {
	raw, err := json.Marshal(state)
	if err == nil {
		err = os.WriteFile(d.path("state.new"), raw, 0o600)
	}
	if err == nil {
		err = os.Rename(d.path("state.new"), d.path("state.json"))
	}
	if err != nil {
		return fmt.Errorf("write the server's state: %w", err)
	}
	return nil
}

func (d Dir) append(entry any) error {
	line, err := json.Marshal(entry)
	if err != nil {
		return err
	}
	return plainfile.Append(d.path("ledger.jsonl"), append(line, '\n'))
}
