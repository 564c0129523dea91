package fakeserver

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
)

// base is the common part of both servers: the ledger and the state that a restart keeps.
type base struct {
	mu  sync.Mutex
	mem memory
}

type memory struct {
	ledger
	Indexes map[string]*indexed // sessions by session_index
}

// Ledger returns an entry for every call so far.
func (b *base) Ledger() []Entry {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.mem.entries)
}

// decode decodes the arguments of a call.
func decode[T any](tool string, args []byte) (in T, err error) {
	if err := json.Unmarshal(args, &in); err != nil {
		return in, fmt.Errorf("arguments of %s: %w", tool, err)
	}
	return in, nil
}
