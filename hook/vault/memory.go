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
	// Only makes the vault keep sessions in memory instead of files, for simulations.
	Only bool

	mu       sync.Mutex
	sessions map[string]remembered // by path
	writes   int
	changing sync.Mutex // has the role of the lock of a vault's folder
}

type remembered struct {
	raw   []byte
	state carry.State
	at    int // with Only, the number of the write
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

// alone reports whether the vault keeps sessions in memory only.
func (m *Memory) alone() bool { return m != nil && m.Only }

// load is Vault.Load with Only.
func (m *Memory) load(path string) carry.State {
	m.mu.Lock()
	defer m.mu.Unlock()
	return clone(m.sessions[path].state)
}

// update is Vault.Update with Only.
func (m *Memory) update(path string, change func(*carry.State) bool) {
	m.changing.Lock()
	defer m.changing.Unlock()
	state := m.load(path)
	if !change(&state) { // m.mu is unlocked: change may call others
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.sessions == nil {
		m.sessions = map[string]remembered{}
	}
	m.writes++
	m.sessions[path] = remembered{state: state, at: m.writes}
}

func (m *Memory) drop(path string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.sessions, path)
}

// others is Vault.Others with Only.
func (m *Memory) others(own string, most int) []carry.State {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []remembered
	for path, r := range m.sessions {
		if path != own {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b remembered) int { return b.at - a.at })
	var states []carry.State
	for _, r := range all[:min(len(all), most)] {
		states = append(states, clone(r.state))
	}
	return states
}

// clone returns a deep copy of a state.
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
	s.Foreign = slices.Clone(s.Foreign)
	return s
}
