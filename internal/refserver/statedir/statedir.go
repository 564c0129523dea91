// Package statedir keeps a server's state and ledger in a folder that several processes use at the same time: a
// harness starts a server per agent, and another one when it resumes a session.
//
// It must not know what the state and the ledger contain.
package statedir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"wsi/internal/plainfile"
	"wsi/internal/rename"
)

// Dir is a folder with state.json and a lock file.
type Dir string

// content is what state.json contains.
type content[S, E any] struct {
	State  S
	Ledger []E
}

// Update calls change with the state, the zero value at first, while it holds the lock. It writes the changed state, and the
// ledger with the new entry. If change fails, Update writes nothing and returns the error.
func Update[S, E any](d Dir, change func(state *S) (entry E, err error)) error {
	if err := os.MkdirAll(string(d), 0o700); err != nil {
		return fmt.Errorf("make the server's folder: %w", err)
	}
	return d.locked(func() error {
		var all content[S, E]
		if err := d.decode(&all); err != nil {
			return err
		}
		entry, err := change(&all.State)
		if err != nil {
			return err
		}
		all.Ledger = append(all.Ledger, entry)
		raw, err := json.Marshal(all)
		if err == nil {
			err = rename.Write(d.path("state.json"), raw)
		}
		if err != nil {
			return fmt.Errorf("write the server's state: %w", err)
		}
		return nil
	})
}

// Read returns the state and the ledger's entries in order, the zero value and none if there is no server's folder.
func Read[S, E any](d Dir) (S, []E, error) {
	var all content[S, E]
	if _, err := os.Stat(string(d)); errors.Is(err, fs.ErrNotExist) {
		return all.State, nil, nil
	}
	err := d.locked(func() error { return d.decode(&all) })
	return all.State, all.Ledger, err
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

func (d Dir) decode(into any) error {
	raw, err := plainfile.Read(d.path("state.json"))
	if err == nil && raw != nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		return fmt.Errorf("read the server's state: %w", err)
	}
	return nil
}
