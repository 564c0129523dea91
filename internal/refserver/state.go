package refserver

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"wsi/internal/jsonraw"
	"wsi/internal/lists"
	"wsi/internal/refserver/statedir"
)

// state is the server's state. Unlike the workflow-server it keeps every token, to recognise stale ones.
type state struct {
	Key      []byte
	Chains   []*chain
	Sessions []*session          `json:",omitempty"`
	Traces   map[string][]string `json:",omitempty"` // the trace tokens by session, oldest first
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
	for _, traces := range st.Traces {
		tokens = append(tokens, traces...)
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

// ReadLedger returns the calls that the servers of a folder received, in order. The servers may be running.
func ReadLedger(dir string) ([]Call, error) { return statedir.Ledger[Call](statedir.Dir(dir)) }

// ReadIssued returns every token of a folder's servers. Use it to search for leaked tokens, never to print them.
func ReadIssued(dir string) ([]string, error) {
	st, err := statedir.State[state](statedir.Dir(dir))
	return st.issued(), err
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

// Call is one line of the ledger. It contains no token.
type Call struct {
	Tool      string   `json:"tool"`
	Verdict   Verdict  `json:"verdict"`
	Error     bool     `json:"error,omitempty"` // the result had isError
	Chain     int      `json:"chain,omitempty"` // the number of the start_session that began the chain or session, from 1; 0 if unknown
	SID       string   `json:"sid,omitempty"`   // or the session_index, which is not secret
	AID       string   `json:"aid,omitempty"`   // the agent_id of that start_session
	Seq       int      `json:"seq,omitempty"`
	Label     string   `json:"label,omitempty"`     // the argument "label", with which a script marks its calls
	Arguments []string `json:"arguments,omitempty"` // their names, in order
	// Digest covers the names and raw values of all arguments except those that wsi carries, in order. Equal digests
	// mean that the same bytes arrived, except for white space between members.
	Digest  string   `json:"digest"`
	Notices []string `json:"notices,omitempty"` // what only the warnings in the result's _meta contain
	Trace   *Traced  `json:"trace,omitempty"`   // of a get_trace

	Protocol string `json:"protocol,omitempty"` // the revision of MCP that the client spoke, if the adapter knows it
}

func newCall(t *Tool, args arguments) Call {
	return Call{Tool: t.Name, Verdict: NotNeeded, Arguments: args.names(), Digest: args.digest(), Label: args.label()}
}

func (c *Call) note(ch *chain, p Payload) {
	c.Chain, c.SID, c.AID, c.Seq = ch.Number, ch.SID, ch.AID, p.Seq
}

// arguments are the members of the raw object of a call's arguments, none if it is not an object.
type arguments struct{ jsonraw.Members }

func readArguments(raw []byte) arguments {
	members, err := jsonraw.Object(raw)
	if err != nil {
		return arguments{}
	}
	return arguments{members}
}

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
