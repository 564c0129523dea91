package refserver

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"time"

	"wsi/internal/jsonraw"
	"wsi/internal/lists"
)

// state is the server's state. Unlike the workflow-server it keeps every token, to recognise stale ones.
type state struct {
	Key      []byte
	Chains   []*chain
	Sessions []*session          `json:",omitempty"`
	Traces   map[string][]string `json:",omitempty"` // the trace tokens by session, oldest first
}

type chain struct {
	Number int
	Tokens []string
}

// session is a session of the generation with a session_index, or what a token says of one.
type session struct {
	Index    string // the session_index, or the sid of the tokens
	Number   int    // of the start_session or dispatch_child that opened it, from 1
	AID      string // the agent that opened it
	Workflow string
	Activity string
	Done     []string            // the activities before it
	Taken    map[string][]string // the activities that an agent got from get_activity
}

func (p Payload) session(of *chain) *session {
	return &session{Index: p.SID, Number: of.Number, AID: p.AID, Workflow: p.WF, Activity: p.Act}
}

func (st *state) session(index string) *session {
	s, _ := lists.Find(st.Sessions, func(s *session) bool { return s.Index == index })
	return s
}

func (st *state) openSession(aid, workflow string) *session {
	index := rand.Text()[:6]
	for st.session(index) != nil {
		index = rand.Text()[:6]
	}
	s := &session{Index: index, Number: len(st.Sessions) + 1, AID: aid, Workflow: workflow, Taken: map[string][]string{}}
	st.Sessions = append(st.Sessions, s)
	return s
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
func (st *state) open(token string) (p Payload) {
	if err := decode(token, &p); err != nil {
		panic(err) // this server sealed it
	}
	return p
}

func (st *state) issued() []string {
	tokens := slices.Concat(slices.Collect(maps.Values(st.Traces))...)
	for _, c := range st.Chains {
		tokens = append(tokens, c.Tokens...)
	}
	return tokens
}

// rotate issues the next token of a chain.
func (st *state) rotate(c *chain, p Payload) string {
	p.TS = time.Now().Unix()
	// Two results for the same token in the same second, or two chains of one agent, would have equal tokens.
	// The workflow-server allows that. Here every token is unique.
	for {
		p.Seq++
		token := Seal(st.Key, p)
		if known, _, _ := st.judge(token); known == Unknown {
			c.Tokens = append(c.Tokens, token)
			return token
		}
	}
}

// Verdict is the server's verdict on the session_token or session_index of a call.
type Verdict string

// The verdicts.
const (
	Right     Verdict = "right"      // the newest of its chain, or the index of a session
	Stale     Verdict = "stale"      // issued, but not the newest of its chain
	Unknown   Verdict = "unknown"    // never issued: damaged, or a placeholder
	Missing   Verdict = "missing"    // none
	NotNeeded Verdict = "not needed" // the tool takes none
)

// Call is an entry of the ledger. It contains no token.
type Call struct {
	Tool      string   `json:"tool"`
	Verdict   Verdict  `json:"verdict"`
	Error     bool     `json:"error,omitempty"`     // the result had isError
	Chain     int      `json:"chain,omitempty"`     // the number of the start_session that began the chain or session, from 1; 0 if unknown
	SID       string   `json:"sid,omitempty"`       // or the session_index, which is not secret
	AID       string   `json:"aid,omitempty"`       // the agent_id of that start_session
	Label     string   `json:"label,omitempty"`     // the argument "label", with which a script marks its calls
	Arguments []string `json:"arguments,omitempty"` // their names, in order
	// Digest covers the names and raw values of all arguments except those that wsi carries, in order. Equal digests
	// mean that the same bytes arrived, except for white space between members.
	Digest  string   `json:"digest"`
	Notices []string `json:"notices,omitempty"` // what only the warnings in the result's _meta contain
	Trace   *Traced  `json:"trace,omitempty"`   // of a get_trace

	Protocol string `json:"protocol,omitempty"` // the revision of MCP that the client spoke, if the adapter knows it
}

// arguments are the members of the raw object of a call's arguments, none if it is not an object.
type arguments struct{ jsonraw.Members }

func (a arguments) names() []string {
	return lists.Map(a.Members, func(m jsonraw.Member) string {
		name, _ := jsonraw.Unquote(m.Key) // cannot fail: a key is a string
		return name
	})
}

// label returns the argument "label", cut so that it cannot contain a token.
func (a arguments) label() string {
	const most = 24
	label := a.String("label")
	return label[:min(len(label), most)]
}

// carried are the arguments that wsi sets.
var carried = []string{Argument, "parent_session_token", Index, "trace_tokens"}

func (a arguments) digest() string {
	h := sha256.New()
	for i, name := range a.names() {
		if slices.Contains(carried, name) {
			continue
		}
		h.Write([]byte(name + "\x00"))
		h.Write(a.Members[i].Value)
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}
