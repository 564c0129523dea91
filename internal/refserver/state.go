package refserver

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"wsi/internal/refserver/statedir"
)

// state is the server's state. Unlike the workflow-server it keeps every token, to recognise stale ones.
type state struct {
	Key      []byte
	Chains   []*chain
	Sessions []*session `json:",omitempty"`
}

type chain struct {
	Number   int
	SID, AID string
	Tokens   []string
}

func (st *state) prepare() error {
	if len(st.Key) > 0 {
		return nil
	}
	st.Key = make([]byte, 32)
	_, err := rand.Read(st.Key)
	return err
}

// judge returns the verdict on a token and, if this server issued it, its chain and its index there.
func (st *state) judge(token string) (Verdict, *chain, int) {
	for _, c := range st.Chains {
		if at := slices.Index(c.Tokens, token); at >= 0 {
			if at == len(c.Tokens)-1 {
				return Right, c, at
			}
			return Stale, c, at
		}
	}
	return Unknown, nil, 0
}

// open returns the payload of a token that this server issued.
func (st *state) open(token string) Payload {
	p, err := decode(token)
	if err != nil {
		panic(err) // this server sealed it
	}
	return p
}

func (st *state) issued() []string {
	var tokens []string
	for _, c := range st.Chains {
		tokens = append(tokens, c.Tokens...)
	}
	for _, s := range st.Sessions {
		tokens = append(tokens, s.Tokens...)
	}
	return tokens
}

// rotate issues the next token of a chain.
func (st *state) rotate(c *chain, p Payload, now time.Time) string {
	p.Seq++
	p.TS = now.Unix()
	token := Seal(st.Key, p)
	// Two results for the same token in the same second, or two chains of one agent, would have equal tokens.
	// The workflow-server allows that. Here every token is unique.
	for known, _, _ := st.judge(token); known != Unknown; known, _, _ = st.judge(token) {
		p.Seq++
		token = Seal(st.Key, p)
	}
	c.Tokens = append(c.Tokens, token)
	return token
}

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

type folder string

// ReadLedger returns the calls that the servers of a folder received, in order. The servers may be running.
func ReadLedger(dir string) ([]Call, error) { return folder(dir).ledger() }

// ReadIssued returns every token of a folder's servers. Use it to search for leaked tokens, never to print them.
func ReadIssued(dir string) ([]string, error) { return folder(dir).issued() }

func (f folder) update(change func(*state) (Call, error)) error {
	return statedir.Dir(f).Update(func(old []byte) (any, any, error) {
		var st state
		if old != nil {
			if err := json.Unmarshal(old, &st); err != nil {
				return nil, nil, fmt.Errorf("read the server's state: %w", err)
			}
		}
		call, err := change(&st)
		return st, call, err
	})
}

func (f folder) ledger() ([]Call, error) { return statedir.Ledger[Call](statedir.Dir(f)) }

func (f folder) issued() ([]string, error) {
	var st state
	err := statedir.Dir(f).State(&st)
	return st.issued(), err
}
