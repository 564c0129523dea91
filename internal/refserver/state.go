package refserver

import (
	"crypto/rand"
	"slices"
	"time"
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
