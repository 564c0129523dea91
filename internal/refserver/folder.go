package refserver

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

// folder is a store on disk: state.json, ledger.jsonl, and a lock that all processes respect.
type folder string

// ReadLedger returns the calls that servers opened on a folder have received, in the order in which
// they were judged; none if there was none. The servers may be at work meanwhile.
func ReadLedger(dir string) ([]Call, error) { return folder(dir).ledger() }

// ReadIssued returns every token that servers opened on a folder have issued: for searching what
// must not hold one, never for showing.
func ReadIssued(dir string) ([]string, error) { return folder(dir).issued() }

func (f folder) path(name string) string { return filepath.Join(string(f), name) }

// locked runs do while no other process uses the folder.
func (f folder) locked(do func() error) (err error) {
	lock := flock.New(f.path("lock"), flock.SetPermissions(0o600))
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("lock the server's folder: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	return do()
}

func (f folder) update(change func(*state) (Call, error)) error {
	if err := os.MkdirAll(string(f), 0o700); err != nil {
		return fmt.Errorf("make the server's folder: %w", err)
	}
	return f.locked(func() error {
		st, err := f.readState()
		if err != nil {
			return err
		}
		call, err := change(&st)
		if err != nil {
			return err
		}
		return errors.Join(f.writeState(st), f.append(call))
	})
}

func (f folder) ledger() (calls []Call, err error) {
	err = f.read(func() error {
		raw, err := f.readFile("ledger.jsonl")
		for line := range bytes.Lines(raw) {
			var c Call
			if err := json.Unmarshal(line, &c); err != nil {
				return fmt.Errorf("read the ledger, line %d: %w", len(calls)+1, err)
			}
			calls = append(calls, c)
		}
		return err
	})
	return calls, err
}

func (f folder) issued() (tokens []string, err error) {
	err = f.read(func() error {
		st, err := f.readState()
		tokens = st.issued()
		return err
	})
	return tokens, err
}

// read is locked for those who only look: they make no folder.
func (f folder) read(do func() error) error {
	if _, err := os.Stat(string(f)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return f.locked(do)
}

// readFile returns nothing for a file that is not there yet.
func (f folder) readFile(name string) ([]byte, error) {
	raw, err := os.ReadFile(f.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the server's folder: %w", err)
	}
	return raw, nil
}

func (f folder) readState() (state, error) {
	var st state
	raw, err := f.readFile("state.json")
	if err != nil || raw == nil {
		return st, err
	}
	if err := json.Unmarshal(raw, &st); err != nil {
		return st, fmt.Errorf("read the server's state: %w", err)
	}
	return st, nil
}

// writeState renames, so that a process that is killed leaves the old state or the new one.
func (f folder) writeState(st state) error {
	raw, err := json.Marshal(st)
	if err == nil {
		err = os.WriteFile(f.path("state.new"), raw, 0o600)
	}
	if err == nil {
		err = os.Rename(f.path("state.new"), f.path("state.json"))
	}
	if err != nil {
		return fmt.Errorf("write the server's state: %w", err)
	}
	return nil
}

func (f folder) append(call Call) error {
	line, err := json.Marshal(call)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(f.path("ledger.jsonl"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("write the ledger: %w", err)
	}
	_, err = file.Write(append(line, '\n'))
	return errors.Join(err, file.Close())
}
