package refserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/gofrs/flock"
)

// store keeps state and ledger; update runs one call at a time.
type store interface {
	update(f func(*state) (Call, error)) error
	ledger() ([]Call, error)
}

type memory struct {
	mu    sync.Mutex
	state state
	calls []Call
}

func (m *memory) update(f func(*state) (Call, error)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	call, err := f(&m.state)
	if err == nil {
		m.calls = append(m.calls, call)
	}
	return err
}

func (m *memory) ledger() ([]Call, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.calls), nil
}

// folder is a store on disk: state.json, ledger.jsonl, and a lock that all processes respect.
type folder string

func (f folder) path(name string) string { return filepath.Join(string(f), name) }

func (f folder) update(change func(*state) (Call, error)) (err error) {
	if err := os.MkdirAll(string(f), 0o700); err != nil {
		return fmt.Errorf("make the server's folder: %w", err)
	}
	lock := flock.New(f.path("lock"), flock.SetPermissions(0o600))
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("lock the server's folder: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	st, err := readState(string(f))
	if err != nil {
		return err
	}
	call, err := change(&st)
	if err != nil {
		return err
	}
	return errors.Join(f.writeState(st), f.append(call))
}

func readState(dir string) (state, error) {
	var st state
	raw, err := os.ReadFile(folder(dir).path("state.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return st, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &st)
	}
	if err != nil {
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

func (f folder) ledger() ([]Call, error) { return ReadLedger(string(f)) }

// ReadLedger returns the calls that servers opened on a folder have received, in their order; none
// if there was none.
func ReadLedger(dir string) ([]Call, error) {
	raw, err := os.ReadFile(folder(dir).path("ledger.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the ledger: %w", err)
	}
	var calls []Call
	for line := range bytes.Lines(raw) {
		var c Call
		if err := json.Unmarshal(line, &c); err != nil {
			return nil, fmt.Errorf("read the ledger, line %d: %w", len(calls)+1, err)
		}
		calls = append(calls, c)
	}
	return calls, nil
}

// ReadIssued returns every token that servers opened on a folder have issued: for searching what
// must not hold one, never for showing.
func ReadIssued(dir string) ([]string, error) {
	st, err := readState(dir)
	if err != nil {
		return nil, err
	}
	var tokens []string
	for _, c := range st.Chains {
		tokens = append(tokens, c.Tokens...)
	}
	return tokens, nil
}
