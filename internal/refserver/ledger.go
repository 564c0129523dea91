package refserver

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"wsi/internal/rawjson"
)

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
	SID       string   `json:"sid,omitempty"`   // or the session_index, which is no secret
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
type arguments struct{ rawjson.Members }

func readArguments(raw []byte) arguments {
	members, err := rawjson.Object(raw)
	if err != nil {
		return arguments{}
	}
	return arguments{members}
}

func (a arguments) names() []string {
	names := make([]string, len(a.Members))
	for i, m := range a.Members {
		names[i], _ = rawjson.Unquote(m.Key) // cannot fail: a key is a string
	}
	return names
}

// label returns the argument "label", cut so that it cannot contain a token.
func (a arguments) label() string {
	const most = 24
	label := a.String("label")
	return label[:min(len(label), most)]
}

// carried are the arguments that wsi sets.
var carried = []string{Argument, "parent_session_token", Index, "trace_tokens"}

// Digest returns the [Call.Digest] of raw arguments, for a checker that knows what was sent.
func Digest(args []byte) string { return readArguments(args).digest() }

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
