package refserver

import (
	"crypto/rand"
	"slices"
	"time"
)

// state is what the server remembers. Unlike the workflow-server it keeps every token, for that is
// how it can tell an old one from the newest.
type state struct {
	Key    []byte
	Chains []*chain
}

// chain is the tokens that followed from one start_session, the newest last.
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

// judge says what a token is and, if this server has issued it, its chain and its place there.
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

// open reads a token that is in a chain.
func (st *state) open(token string) Payload {
	p, err := decode(token)
	if err != nil {
		panic(err) // this server has sealed it
	}
	return p
}

func (st *state) issued() []string {
	var tokens []string
	for _, c := range st.Chains {
		tokens = append(tokens, c.Tokens...)
	}
	return tokens
}

// rotate issues the next token of a chain.
func (st *state) rotate(c *chain, p Payload, now time.Time) string {
	p.Seq++
	p.TS = now.Unix()
	token := Seal(st.Key, p)
	// Two answers to the same token in the same second, and two chains of one agent, would say the
	// same. The workflow-server lets them; here every token is of one place in one chain.
	for known, _, _ := st.judge(token); known != Unknown; known, _, _ = st.judge(token) {
		p.Seq++
		token = Seal(st.Key, p)
	}
	c.Tokens = append(c.Tokens, token)
	return token
}
