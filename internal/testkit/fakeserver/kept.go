package fakeserver

import (
	"encoding/json"
	"sync"

	"wsi/internal/refserver"
	"wsi/internal/refserver/statedir"
)

// Kept is a workflow-server with a session_index that keeps its sessions and its ledger in a folder. Several processes may use
// the folder at the same time.
type Kept struct {
	mu     sync.Mutex
	server *Index
	dir    statedir.Dir
}

type kept struct {
	Memory json.RawMessage `json:",omitempty"`
}

// OpenIndex returns the server in a folder.
func OpenIndex(dir string) *Kept { return &Kept{server: NewIndex(), dir: statedir.Dir(dir)} }

// Spoke does nothing.
func (*Kept) Spoke(string) {}

// Tools returns the server's tools.
func (k *Kept) Tools() []refserver.Tool { return k.server.Tools() }

// Call answers a call of an unknown agent.
func (k *Kept) Call(tool string, args []byte) (result []byte, err error) {
	if len(args) == 0 {
		args = []byte("{}")
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	err = statedir.Update(k.dir, func(st *kept) (Entry, error) {
		k.server.mem = memory{}
		if len(st.Memory) > 0 {
			if err := json.Unmarshal(st.Memory, &k.server.mem); err != nil {
				return Entry{}, err
			}
		}
		if result, err = k.server.Call("", tool, args); err != nil {
			return Entry{}, err
		}
		if st.Memory, err = json.Marshal(&k.server.mem); err != nil {
			return Entry{}, err
		}
		entries := k.server.Ledger()
		return entries[len(entries)-1], nil
	})
	return result, err
}
