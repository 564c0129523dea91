package vault

import (
	"errors"
	"slices"
	"sync"

	"wsi/hook/carry"
)

// Memory is for a process that runs for long. It caches decoded sessions and keeps their files open. The process must call
// [Vault.Flush] now and then, and before it ends. It may be used by several goroutines at once; its zero value is empty.
type Memory struct {
	mu       sync.Mutex
	sessions map[string]*kept // by path
}

// maxRemembered bounds the memory. No user works with so many sessions at once.
const maxRemembered = 16

// kept returns what is known of a session's files. done ends its use.
func (m *Memory) kept(path string) (k *kept, done func()) {
	k = &kept{path: path, long: m != nil, at: -1}
	if m == nil {
		return k, k.forget
	}
	m.mu.Lock()
	if known := m.sessions[path]; known != nil {
		return known, m.mu.Unlock
	}
	if m.sessions == nil || len(m.sessions) >= maxRemembered {
		for _, old := range m.sessions {
			old.forget()
		}
		m.sessions = map[string]*kept{}
	}
	m.sessions[path] = k
	return k, m.mu.Unlock
}

// Flush writes the newest states into the sessions' files, where an older wsi looks for them. Their times say which sessions are
// in use.
func (v Vault) Flush() error {
	var paths []string
	if m := v.Memory; m != nil {
		m.mu.Lock()
		for path, k := range m.sessions {
			if k.at >= 0 {
				paths = append(paths, path)
			}
		}
		m.mu.Unlock()
	}
	var errs []error
	for _, path := range paths {
		errs = append(errs, v.update(path, true, func(s *carry.State) bool { return s.Next > 0 }))
	}
	return errors.Join(errs...)
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
	s.Pending = slices.Clone(s.Pending)
	for i := range s.Pending {
		p := &s.Pending[i]
		p.Files, p.From = slices.Clone(p.Files), slices.Clone(p.From)
	}
	s.Foreign = slices.Clone(s.Foreign)
	return s
}
