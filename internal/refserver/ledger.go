package refserver

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Verdict is what the server found in a call's session_token.
type Verdict string

// The verdicts.
const (
	Right     Verdict = "right"      // the newest of its chain
	Stale     Verdict = "stale"      // issued, but not the newest of its chain
	Unknown   Verdict = "unknown"    // never issued: mangled, or a placeholder
	Missing   Verdict = "missing"    // there was none
	NotNeeded Verdict = "not needed" // the tool takes none
)

// Call is one line of the ledger. It holds no token.
type Call struct {
	Tool      string   `json:"tool"`
	Verdict   Verdict  `json:"verdict"`
	Error     bool     `json:"error,omitempty"` // the result had isError
	Chain     int      `json:"chain,omitempty"` // which start_session the token comes from, 1 is the first; 0: not known
	SID       string   `json:"sid,omitempty"`
	AID       string   `json:"aid,omitempty"` // the agent_id of that start_session
	Seq       int      `json:"seq,omitempty"`
	Label     string   `json:"label,omitempty"`     // the argument "label", by which a script marks its calls
	Arguments []string `json:"arguments,omitempty"` // their names, in order
	// Digest is over names and raw values of all arguments but the token, in their order: equal
	// digests mean that the same bytes arrived, white space between members aside.
	Digest string `json:"digest"`
}

func (c *Call) note(ch *chain, p Payload) {
	c.Chain, c.SID, c.AID, c.Seq = ch.Number, ch.SID, ch.AID, p.Seq
}

type argument struct {
	name string
	raw  json.RawMessage
}

type arguments []argument

// readArguments takes an object apart without changing a byte of its values. What is no object has
// no arguments.
func readArguments(raw []byte) arguments {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	var list arguments
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil
		}
		a := argument{}
		a.name, _ = name.(string)
		if d.Decode(&a.raw) != nil {
			return nil
		}
		list = append(list, a)
	}
	return list
}

func (a arguments) names() []string {
	names := make([]string, len(a))
	for i := range a {
		names[i] = a[i].name
	}
	return names
}

// text returns an argument that is a string; of several the last, as JSON decoders do.
func (a arguments) text(name string) string {
	s := ""
	for _, arg := range a {
		if arg.name == name && json.Unmarshal(arg.raw, &s) != nil {
			s = ""
		}
	}
	return s
}

func (a arguments) has(name string) bool {
	for _, arg := range a {
		if arg.name == name {
			return true
		}
	}
	return false
}

// label is cut short, so that no token can get into the ledger by it.
func (a arguments) label() string {
	const most = 24
	label := a.text("label")
	return label[:min(len(label), most)]
}

// Digest is what Call.Digest is for these raw arguments, for checkers that know what was sent.
func Digest(args []byte) string { return readArguments(args).digest() }

func (a arguments) digest() string {
	h := sha256.New()
	for _, arg := range a {
		if arg.name == Argument || arg.name == "parent_session_token" {
			continue
		}
		h.Write([]byte(arg.name + "\x00"))
		h.Write(arg.raw)
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}
