package refserver

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

const tokenArgument = "session_token"

// payload is what a token says, in the workflow-server's order.
type payload struct {
	WF    string `json:"wf"`
	Act   string `json:"act"`
	Skill string `json:"skill"`
	Cond  string `json:"cond"`
	V     string `json:"v"`
	Seq   int    `json:"seq"`
	TS    int64  `json:"ts"`
	SID   string `json:"sid"`
	AID   string `json:"aid"`
	PSID  string `json:"psid,omitempty"`
	PWF   string `json:"pwf,omitempty"`
	PAct  string `json:"pact,omitempty"`
	PV    string `json:"pv,omitempty"`
}

// seal makes a token: base64url(JSON) and the hexadecimal HMAC-SHA256 of that.
func seal(key []byte, v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // structs of strings and numbers
	}
	body := base64.RawURLEncoding.EncodeToString(raw)
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(body))
	return body + "." + hex.EncodeToString(mac.Sum(nil))
}

// decode reads a token that this server has sealed.
func decode(token string) (payload, error) {
	body, _, _ := strings.Cut(token, ".")
	raw, err := base64.RawURLEncoding.DecodeString(body)
	if err != nil {
		return payload{}, fmt.Errorf("decode token: %w", err)
	}
	var p payload
	if err := json.Unmarshal(raw, &p); err != nil {
		return payload{}, fmt.Errorf("decode token: %w", err)
	}
	return p, nil
}

// newID makes a random UUID.
func newID() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
