package carry

import (
	"encoding/base64"
	"strconv"
	"strings"
	"unicode/utf8"

	"wsi/internal/jsonraw"
)

// minSignature is the minimum length of a signature. The workflow-server's has 64 hexadecimal digits.
const minSignature = 32

// Payload is the content of a value of the form base64url(JSON object).signature. The signature is not
// verified: the payload only serves to distinguish and to order values.
type Payload struct {
	Payload   []byte // the JSON object
	Signature string // as written in the value
	members   jsonraw.Members
}

// Decode decodes a value of this form, which the workflow-server used up to 2026-05-17; ok is false for any
// other value.
func Decode(value string) (in Payload, ok bool) {
	body, signature := split(value)
	payload := payloadIn(body)
	members, err := jsonraw.Object(payload)
	if err != nil || len(signature) < minSignature {
		return Payload{}, false
	}
	return Payload{Payload: payload, Signature: signature, members: members}, true
}

// payloadIn returns the decoded body of a value, nil if it does not decode.
func payloadIn(body string) []byte {
	payload, err := base64.RawURLEncoding.DecodeString(body)
	if err != nil || !utf8.Valid(payload) {
		return nil
	}
	return payload
}

// Text returns a member of the payload that is a string, "" if there is none.
func (in Payload) Text(member string) string { return in.members.String(member) }

// Number returns a member of the payload that is a whole number.
func (in Payload) Number(member string) (n int64, ok bool) {
	n, err := strconv.ParseInt(string(in.members.Get(member)), 10, 64)
	return n, err == nil
}

// split cuts a value at its last dot. The signature is "" if there is none.
func split(value string) (body, signature string) {
	if at := strings.LastIndexByte(value, '.'); at >= 0 {
		return value[:at], value[at+1:]
	}
	return value, ""
}
