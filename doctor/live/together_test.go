package live

import (
	"errors"
	"slices"
	"sync"
	"time"
)

// meeting makes conversations wait for each other before every turn, so that two sessions run at once.
type meeting struct {
	mu      sync.Mutex
	parties []string         // names of scripts
	arrived map[int][]string // by turn
	all     map[int]chan struct{}
}

// among begins a meeting of some scripts.
func (m *meeting) among(names []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.parties, m.arrived, m.all = names, map[int][]string{}, map[int]chan struct{}{}
}

// wait returns when all scripts have come to the turn; at once for a script that does not take part.
func (m *meeting) wait(script string, turn int) error {
	const patience = 60 * time.Second
	select {
	case <-m.arrive(script, turn):
		return nil
	case <-time.After(patience):
		return errors.New("the other session did not come to this turn")
	}
}

func (m *meeting) arrive(script string, turn int) <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !slices.Contains(m.parties, script) {
		open := make(chan struct{})
		close(open)
		return open
	}
	if m.all[turn] == nil {
		m.all[turn] = make(chan struct{})
	}
	if !slices.Contains(m.arrived[turn], script) { // else a request is repeated
		m.arrived[turn] = append(m.arrived[turn], script)
		if len(m.arrived[turn]) == len(m.parties) {
			close(m.all[turn])
		}
	}
	return m.all[turn]
}
