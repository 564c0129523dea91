package refserver

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Verdict is the server's verdict on the session_token of a call.
type Verdict string

// The verdicts.
const (
	Right     Verdict = "right"      // the newest of its chain
	Stale     Verdict = "stale"      // issued, but not the newest of its chain
	Unknown   Verdict = "unknown"    // never issued: damaged, or a placeholder
	Missing   Verdict = "missing"    // no token
	NotNeeded Verdict = "not needed" // the tool takes no token
)

// Call is one line of the ledger. It contains no token.
type Call struct {
	Tool      string   `json:"tool"`
	Verdict   Verdict  `json:"verdict"`
	Error     bool     `json:"error,omitempty"` // the result had isError
	Chain     int      `json:"chain,omitempty"` // the number of the start_session that began the chain, from 1; 0 if unknown
	SID       string   `json:"sid,omitempty"`
	AID       string   `json:"aid,omitempty"` // the agent_id of that start_session
	Seq       int      `json:"seq,omitempty"`
	Label     string   `json:"label,omitempty"`     // the argument "label", with which a script marks its calls
	Arguments []string `json:"arguments,omitempty"` // their names, in order
	// Digest covers the names and raw values of all arguments except the token, in order. Equal digests mean
	// that the same bytes arrived, except for white space between members.
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

// readArguments returns the members of an object with raw values, or nil if raw is not an object.
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

// text returns a string argument, or "". Of duplicates it returns the last, as JSON decoders do.
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

// label returns the argument "label", cut so that it cannot contain a token.
func (a arguments) label() string {
	const most = 24
	label := a.text("label")
	return label[:min(len(label), most)]
}

// Digest returns the [Call.Digest] of raw arguments, for a checker that knows what was sent.
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
