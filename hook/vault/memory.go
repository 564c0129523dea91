package vault

import (
	"bytes"
	"slices"
	"sync"

	"wsi/hook/carry"
)

// Memory caches decoded sessions in a process that runs for long. It compares the bytes of a session's file
// on each use, because other processes write it, too. It may be used by several goroutines at once; its zero
// value is empty.
type Memory struct {
	mu       sync.Mutex
	sessions map[string]remembered // by path
}

type remembered struct {
	raw   []byte
	state carry.State
}

// maxRemembered bounds the memory. No user works with so many sessions at once.
const maxRemembered = 16

// recall returns the decoded state for a file's bytes. The caller may change it.
func (m *Memory) recall(path string, raw []byte) (carry.State, bool) {
	if m == nil {
		return carry.State{}, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	known, ok := m.sessions[path]
	if !ok || !bytes.Equal(known.raw, raw) {
		return carry.State{}, false
	}
	return clone(known.state), true
}

// remember keeps raw, which the caller must not change any more, and a copy of the state.
func (m *Memory) remember(path string, raw []byte, state carry.State) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.sessions[path]; m.sessions == nil || !known && len(m.sessions) >= maxRemembered {
		m.sessions = map[string]remembered{}
	}
	m.sessions[path] = remembered{raw: raw, state: clone(state)}
}

func clone(s carry.State) carry.State {
	s.Chains = slices.Clone(s.Chains)
	for i := range s.Chains {
		c := &s.Chains[i]
		c.Older, c.Seen, c.Branches = slices.Clone(c.Older), slices.Clone(c.Seen), slices.Clone(c.Branches)
		c.Equivalents, c.Since, c.Shown = slices.Clone(c.Equivalents), slices.Clone(c.Since), slices.Clone(c.Shown)
	}
	s.Uses = slices.Clone(s.Uses)
	s.Notes = slices.Clone(s.Notes)
	for i := range s.Notes {
		n := &s.Notes[i]
		n.Files, n.From = slices.Clone(n.Files), slices.Clone(n.From)
	}
	s.Said = slices.Clone(s.Said)
	s.Foreign = slices.Clone(s.Foreign)
	return s
}
