// Package statedir keeps a server's state and its ledger in a folder that several processes use at
// once: harnesses start a server per agent, and another one when they resume.
//
// It must not know what is in them.
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
)

// Dir is a folder with state.json, ledger.jsonl, and a lock that all processes respect.
type Dir string

// Update gives change the state, or nothing if there is none yet, while no other process uses the
// folder. It writes the state and appends the entry that come back, no line for an entry that is
// nil; nothing after an error, which it returns.
func (d Dir) Update(change func(old []byte) (state, entry any, err error)) error {
	if err := os.MkdirAll(string(d), 0o700); err != nil {
		return fmt.Errorf("make the server's folder: %w", err)
	}
	return d.locked(func() error {
		old, err := d.read("state.json")
		if err != nil {
			return err
		}
		state, entry, err := change(old)
		if err != nil {
			return err
		}
		if err := d.write(state); err != nil || entry == nil {
			return err
		}
		return d.append(entry)
	})
}

// State reads the state into what into points to. Where there is no folder or no state it leaves it.
func (d Dir) State(into any) error {
	return d.look(func() error {
		raw, err := d.read("state.json")
		if err != nil || raw == nil {
			return err
		}
		if err := json.Unmarshal(raw, into); err != nil {
			return fmt.Errorf("read the server's state: %w", err)
		}
		return nil
	})
}

// Ledger reads the ledger's entries in the order in which they came; none if there is no folder.
func Ledger[T any](d Dir) (entries []T, err error) {
	err = d.look(func() error {
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

// look is locked for those who only look: they make no folder.
func (d Dir) look(do func() error) error {
	if _, err := os.Stat(string(d)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return d.locked(do)
}

// read returns nothing for a file that is not there yet.
func (d Dir) read(name string) ([]byte, error) {
	raw, err := os.ReadFile(d.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the server's folder: %w", err)
	}
	return raw, nil
}

// write renames, so that a process that is killed leaves the old state or the new one.
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
	file, err := os.OpenFile(d.path("ledger.jsonl"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("write the ledger: %w", err)
	}
	_, err = file.Write(append(line, '\n'))
	return errors.Join(err, file.Close())
}
