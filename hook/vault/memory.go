package vault

import (
	"bytes"
	"slices"
	"sync"

	"wsi/hook/carry"
)

// Memory spares a process that lives long the decoding of what it has decoded before. A session's file is
// read all the same, and its bytes are compared: others write it, too. It may be used by several goroutines
// at once; its zero value is empty.
type Memory struct {
	// Only has the vault keep sessions in the memory and nowhere else: for simulations, whose time
	// would all go into files.
	Only bool

	mu       sync.Mutex
	sessions map[string]remembered // by path
	writes   int
	changing sync.Mutex // as the lock of a vault's folder is
}

type remembered struct {
	raw   []byte
	state carry.State
	at    int // counts what was kept in a memory without files
}

// maxRemembered bounds the memory: nobody works with so many sessions at once.
const maxRemembered = 16

// recall returns the state that a file's bytes are known to mean, the caller's to change.
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

// remember keeps raw, which nobody may change any more, and a copy of the state.
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

// alone reports whether there is a memory and no files.
func (m *Memory) alone() bool { return m != nil && m.Only }

// load returns what a memory without files keeps.
func (m *Memory) load(path string) carry.State {
	m.mu.Lock()
	defer m.mu.Unlock()
	return clone(m.sessions[path].state)
}

// update is Vault.Update in a memory without files.
func (m *Memory) update(path string, change func(*carry.State) bool) {
	m.changing.Lock()
	defer m.changing.Unlock()
	state := m.load(path)
	if !change(&state) { // which may ask for others
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

// others returns what a memory without files keeps but for one session, the one that changed last first.
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

// clone returns a state that shares nothing with another that either could change.
func clone(s carry.State) carry.State {
	s.Chains = slices.Clone(s.Chains)
	for i := range s.Chains {
		c := &s.Chains[i]
		c.Older, c.Seen, c.Branches = slices.Clone(c.Older), slices.Clone(c.Seen), slices.Clone(c.Branches)
		c.Equivalents, c.Since = slices.Clone(c.Equivalents), slices.Clone(c.Since)
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
