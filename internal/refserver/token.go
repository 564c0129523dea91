package refserver

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// The arguments that belong to a session: the token of the one generation, and the index of the other.
const (
	Argument = "session_token"
	Index    = "session_index"
)

// Payload is the content of a workflow-server token. The fields are in the order of recorded tokens (2026-05-13).
type Payload struct {
	WF    string  `json:"wf"`
	Act   string  `json:"act"`
	Skill string  `json:"skill"`
	Cond  string  `json:"cond"`
	V     string  `json:"v"`
	Seq   int     `json:"seq"`
	TS    int64   `json:"ts"`
	SID   string  `json:"sid"`
	AID   string  `json:"aid"`
	PSID  string  `json:"psid,omitempty"`
	PWF   string  `json:"pwf,omitempty"`
	PAct  *string `json:"pact,omitempty"` // present but empty if the parent has no activity
	PV    string  `json:"pv,omitempty"`
	BCP   string  `json:"bcp,omitempty"`
}

// Seal returns a token: base64url(JSON), a dot, and the signature.
func Seal(key []byte, content any) string {
	raw, err := json.Marshal(content)
	if err != nil {
		panic(err) // strings and numbers
	}
	body := base64.RawURLEncoding.EncodeToString(raw)
	return body + "." + Sign(key, body)
}

// Sign returns the hexadecimal HMAC-SHA256 of a token's first part.
func Sign(key []byte, body string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(body))
	return hex.EncodeToString(mac.Sum(nil))
}

// decode decodes the content of a token without checking its signature.
func decode(token string, content any) error {
	body, _, _ := strings.Cut(token, ".")
	raw, err := base64.RawURLEncoding.DecodeString(body)
	if err == nil {
		err = json.Unmarshal(raw, content)
	}
	return err
}

// NewID returns a random UUID. Reading from random must not fail.
func NewID(random io.Reader) string {
	b := make([]byte, 16)
	_, _ = io.ReadFull(random, b)
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
