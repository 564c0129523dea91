package fakeserver

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// Payload encodes the recorded payloads (wire 12, 13, 19, 30, 40) byte for byte.
func TestRecordedPayloads(t *testing.T) {
	file, err := os.ReadFile("testdata/recorded.txt")
	if err != nil {
		t.Fatal(err)
	}
	for token := range strings.FieldsSeq(string(file)) {
		body, _, _ := strings.Cut(token, ".")
		want, err := base64.RawURLEncoding.DecodeString(body)
		if err != nil {
			t.Fatal(err)
		}
		p, ok := decodeToken(token)
		if got, _ := json.Marshal(p); !ok || string(got) != string(want) {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
