package refserver

import (
	"slices"
	"sync"
)

// store keeps the state and the ledger. update runs one call at a time and appends it to the ledger.
type store interface {
	update(f func(*state) (Call, error)) error
	ledger() ([]Call, error)
	issued() ([]string, error)
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

func (m *memory) issued() ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state.issued(), nil
}
