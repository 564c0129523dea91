package fakeserver

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// exchange is a recorded exchange. A token is written as the number of the exchange that issued it: "$30", or
// "$43~mangled-no-dot" if damaged.
type exchange struct {
	N               int
	Tool            string
	Args            map[string]any
	Restart, Newkey bool
	Wait            int // seconds before it
	Error           string
	Meta, Keys      []string
	Validation      string
	Payload         json.RawMessage
	Shown           string
}

// The fake server answers each recorded request as the real server did (wire 03-63).
func TestWire(t *testing.T) {
	file, err := os.ReadFile("testdata/wire.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	now, key := time.Unix(1795187971, 0), "key"
	w := NewWorkflow([]byte(key), func() time.Time { return now })
	issued, sids := map[string]string{}, []string(nil)
	for line := range bytes.Lines(file) {
		var x exchange
		if err := json.Unmarshal(line, &x); err != nil {
			t.Fatal(err)
		}
		now = now.Add(time.Duration(x.Wait) * time.Second)
		if x.Newkey {
			key = "another"
		}
		if x.Restart || x.Newkey {
			w = NewWorkflow([]byte(key), func() time.Time { return now })
		}
		for name, v := range x.Args {
			if s, ok := v.(string); ok && strings.HasPrefix(s, "$") {
				number, how, _ := strings.Cut(s[1:], "~")
				x.Args[name] = damaged(t, issued[number], how)
			}
		}
		raw, _ := json.Marshal(x.Args)
		out, err := w.Call("", x.Tool, raw)
		if err != nil {
			t.Fatal(x.N, err)
		}
		token := x.check(t, out, &sids)
		issued[strconv.Itoa(x.N)] = token
	}
	if len(issued) != 61 {
		t.Errorf("%d exchanges", len(issued))
	}
}

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

// check compares a result and returns its token.
func (x exchange) check(t *testing.T, out []byte, sids *[]string) string {
	t.Helper()
	var r struct {
		Meta    map[string]any `json:"_meta"`
		Content []struct{ Text string }
		IsError bool
	}
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatal(x.N, err)
	}
	text := r.Content[0].Text
	if r.IsError != (x.Error != "") || !strings.HasPrefix(text, x.Error) {
		t.Errorf("%d: isError %v, want %q", x.N, r.IsError, x.Error)
	}
	if got := slices.Sorted(maps.Keys(r.Meta)); !slices.Equal(got, x.Meta) {
		t.Errorf("%d: _meta has %v, want %v", x.N, got, x.Meta)
	}
	if v, _ := r.Meta["validation"].(map[string]any); x.Validation != "" && v["status"] != x.Validation {
		t.Errorf("%d: validation %v, want %s", x.N, v["status"], x.Validation)
	}
	var fields map[string]any
	if err := json.Unmarshal([]byte(text), &fields); x.Keys != nil && (err != nil || !slices.Equal(slices.Sorted(maps.Keys(fields)), x.Keys)) {
		t.Errorf("%d: the text has %v, want %v", x.N, slices.Sorted(maps.Keys(fields)), x.Keys)
	}
	token, _ := r.Meta["session_token"].(string)
	shown := ""
	switch kind, name, _ := strings.Cut(x.Shown, " "); kind {
	case "json":
		shown, _ = fields[name].(string)
	case "line":
		_, after, _ := strings.Cut("\n"+text, "\n"+name+": ")
		shown, _, _ = strings.Cut(after, "\n")
	case "no":
		if strings.Contains(text, token) {
			t.Errorf("%d: the text contains the value", x.N)
		}
		shown = token
	case "echo", "null":
		shown = token
		echo := map[string]any{"echo": x.Args["checkpoint_handle"], "null": "null"}[kind]
		if !strings.HasSuffix(text, fmt.Sprint("\ncheckpoint_handle: ", echo)) {
			t.Errorf("%d: %s is wanted", x.N, kind)
		}
	}
	if shown != token {
		t.Errorf("%d: the text does not show the value (%s)", x.N, x.Shown)
	}
	if x.Payload != nil {
		x.payload(t, token, sids)
	}
	return token
}

// payload compares the payload of a token. Session ids are numbered in the order of their appearance.
func (x exchange) payload(t *testing.T, token string, sids *[]string) {
	t.Helper()
	p, _ := decodeToken(token)
	name := func(id string) string {
		if id == "" {
			return ""
		}
		if !slices.Contains(*sids, id) {
			*sids = append(*sids, id)
		}
		return "S" + strconv.Itoa(slices.Index(*sids, id)+1)
	}
	p.SID, p.PSID = name(p.SID), name(p.PSID)
	if got, _ := json.Marshal(p); string(got) != string(x.Payload) {
		t.Errorf("%d:\ngot  %s\nwant %s", x.N, got, x.Payload)
	}
}

// damaged returns a token with the recorded damage.
func damaged(t *testing.T, token, how string) string {
	t.Helper()
	body, sig, _ := strings.Cut(token, ".")
	switch how {
	case "":
		return token
	case "mangled-payload-1-char":
		return body[:60] + "A" + body[61:] + "." + sig
	case "mangled-signature-1-char", "resume-signature-mangled", "present-checkpoint-mangled", "start-session-child-mangled-parent":
		return body + "." + strings.Repeat("0", 8) + sig[8:]
	case "mangled-psid-2-hex-inserted", "resume-psid-mangled":
		raw, _ := base64.RawURLEncoding.DecodeString(body)
		at := bytes.Index(raw, []byte(`"psid":"`)) + len(`"psid":"`) + 13
		raw = slices.Insert(raw, at, 'a', 'b')
		return base64.RawURLEncoding.EncodeToString(raw) + "." + sig
	case "mangled-signature-2-hex-inserted":
		return body + "." + sig[:30] + "ab" + sig[30:]
	case "mangled-truncated":
		return token[:len(token)-30]
	case "mangled-no-dot":
		return body
	case "mangled-trailing-space":
		return token + " "
	case "mangled-quoted":
		return `"` + token + `"`
	case "mangled-ellipsis":
		return token[:20] + "..." + token[len(token)-8:]
	case "resume-payload-mangled":
		return body[:10] + "!!" + body[12:] + "." + sig
	}
	t.Fatal("no such damage: " + how)
	return ""
}
