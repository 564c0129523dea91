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

// Kept is a server whose key, memory and ledger are in a folder that several processes may use at
// once. What the real one forgets with its process it forgets too.
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

// Open returns the server of a kind in a folder. An error means that there is no such kind, or that
// the folder cannot be used.
func Open(dir, kind string, now func() time.Time) (*Kept, error) {
	k := &Kept{kind: kind, dir: statedir.Dir(dir)}
	err := k.dir.Update(func(old []byte) (any, any, error) {
		var st kept
		if err := restore(&st, old); err != nil {
			return nil, nil, err
		}
		if len(st.Key) == 0 {
			st.Key = make([]byte, 32)
			_, _ = rand.Read(st.Key) // never fails
		}
		var err error
		k.server, err = New(kind, st.Key, now)
		return st, nil, err
	})
	if err != nil {
		return nil, fmt.Errorf("open the server %s: %w", kind, err)
	}
	return k, nil
}

// Name is what the server calls itself.
func (k *Kept) Name() string {
	if k.kind == "workflow-server-index" {
		return "workflow-server" // a later one
	}
	return k.kind
}

// Tools are the server's.
func (k *Kept) Tools() []refserver.Tool { return k.server.Tools() }

// Call answers a call of an agent that is not known.
func (k *Kept) Call(tool string, args []byte) (result []byte, err error) {
	if len(args) == 0 {
		args = []byte("{}")
	}
	waits := ""
	err = k.update(func() (entry any, err error) {
		if p, is := k.server.(patient); is {
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
	for err == nil && waits != "" { // other processes use the folder meanwhile
		time.Sleep(unhurried)
		err = k.update(func() (_ any, err error) {
			result, waits, err = k.server.(patient).outcome(waits)
			return nil, err
		})
	}
	return result, err
}

// update has the server do something with what is kept, while no other process does.
func (k *Kept) update(do func() (entry any, err error)) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.dir.Update(func(old []byte) (any, any, error) {
		var st kept
		if err := restore(&st, old); err != nil {
			return nil, nil, err
		}
		if err := k.server.remember(st.Memory); err != nil {
			return nil, nil, err
		}
		entry, err := do()
		if err != nil {
			return nil, nil, err
		}
		if st.Memory, err = json.Marshal(k.server.memory()); err != nil {
			return nil, nil, err
		}
		st.Issued = k.server.issued()
		return st, entry, nil
	})
}

// ReadLedger returns the calls that servers opened on a folder have received.
func ReadLedger(dir string) ([]Entry, error) { return statedir.Ledger[Entry](statedir.Dir(dir)) }

// ReadIssued returns every value that servers opened on a folder have handed out: for searching what
// must not hold one, never for showing.
func ReadIssued(dir string) ([]string, error) {
	var st kept
	err := statedir.Dir(dir).State(&st)
	return st.Issued, err
}
