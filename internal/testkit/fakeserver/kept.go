package fakeserver

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"wsi/internal/refserver"
	"wsi/internal/refserver/statedir"
)

// Kept is a server that keeps its key, state and ledger in a folder. Several processes may use the folder at the
// same time. State that the real server loses when its process ends is not kept.
type Kept struct {
	mu     sync.Mutex
	kind   string
	server Server
	dir    statedir.Dir
}

type kept struct {
	Key    []byte
	Memory json.RawMessage `json:",omitempty"`
	Issued []string
}

// Open returns the server of a kind in a folder. It returns an error if the kind is unknown or the folder cannot be
// used.
func Open(dir, kind string, now func() time.Time) (*Kept, error) {
	k := &Kept{kind: kind, dir: statedir.Dir(dir)}
	err := statedir.Update(k.dir, func(st *kept) (any, error) {
		if len(st.Key) == 0 {
			st.Key = make([]byte, 32)
			_, _ = rand.Read(st.Key) // never fails
		}
		var err error
		k.server, err = New(kind, st.Key, now)
		return nil, err
	})
	if err != nil {
		return nil, fmt.Errorf("open the server %s: %w", kind, err)
	}
	return k, nil
}

// Name returns the server's name in MCP.
func (k *Kept) Name() string {
	if k.kind == "workflow-server-index" {
		return "workflow-server" // a later version
	}
	return k.kind
}

// Tools returns the server's tools.
func (k *Kept) Tools() []refserver.Tool { return k.server.Tools() }

// Call answers a call of an unknown agent.
func (k *Kept) Call(tool string, args []byte) (result []byte, err error) {
	if len(args) == 0 {
		args = []byte("{}")
	}
	waits := ""
	err = k.update(func() (entry any, err error) {
		if p, is := k.server.(waiter); is {
			result, waits, err = p.ask("", tool, args)
		} else {
			result, err = k.server.Call("", tool, args)
		}
		if err != nil {
			return nil, err
		}
		ledger := k.server.Ledger()
		return ledger[len(ledger)-1], nil
	})
	for err == nil && waits != "" { // unlocked in between, so that other processes can decide
		time.Sleep(pollInterval)
		err = k.update(func() (_ any, err error) {
			result, waits, err = k.server.(waiter).outcome(waits)
			return nil, err
		})
	}
	return result, err
}

// update loads the state, calls do and saves the state, all under the folder's lock.
func (k *Kept) update(do func() (entry any, err error)) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return statedir.Update(k.dir, func(st *kept) (any, error) {
		if err := k.server.remember(st.Memory); err != nil {
			return nil, err
		}
		entry, err := do()
		if err != nil {
			return nil, err
		}
		if st.Memory, err = json.Marshal(k.server.memory()); err != nil {
			return nil, err
		}
		st.Issued = k.server.issued()
		return entry, nil
	})
}

// ReadLedger returns the calls that the servers of a folder received.
func ReadLedger(dir string) ([]Entry, error) { return statedir.Ledger[Entry](statedir.Dir(dir)) }

// ReadIssued returns every value that the servers of a folder issued. Use it to search for leaked values, never to
// print them.
func ReadIssued(dir string) ([]string, error) {
	st, err := statedir.State[kept](statedir.Dir(dir))
	return st.Issued, err
}
