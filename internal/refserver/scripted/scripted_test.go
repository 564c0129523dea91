package scripted

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"wsi/internal/refserver/stdio"
)

// The server gives each call its prepared answer, and records the raw arguments.
func TestServer(t *testing.T) {
	dir := t.TempDir()
	answers := []Answer{{"1", "open", json.RawMessage(`{"content":[]}`)}, {"2", "open", json.RawMessage(`{"content":[{}]}`)}}
	if err := Write(dir, []Tool{{"open", json.RawMessage(`{"type":"object"}`)}}, answers); err != nil {
		t.Fatal(err)
	}
	s := Open(dir)
	if got, err := s.Call("open", []byte(`{"step":"2","n":9007199254740993}`)); err != nil || string(got) != `{"content":[{}]}` {
		t.Errorf("%s, %v", got, err)
	}
	for tool, args := range map[string]string{"close": `{"step":"1"}`, "open": `{"step":"3"}`} {
		if got, err := s.Call(tool, []byte(args)); err == nil {
			t.Errorf("%s %s is answered with %s", tool, args, got)
		}
	}
	if _, err := s.Call("open", []byte(`[]`)); err == nil {
		t.Error("a list is accepted as arguments")
	}
	arrived, err := Arrived(dir)
	if err != nil || len(arrived) != 1 || string(arrived[0].Arguments) != `{"step":"2","n":9007199254740993}` {
		t.Errorf("%+v, %v", arrived, err)
	}
}

// A harness drops tools with annotations of null, so the server must omit the member.
func TestToolsHaveNoAnnotations(t *testing.T) {
	dir := t.TempDir()
	if err := Write(dir, []Tool{{"open", json.RawMessage(`{"type":"object"}`)}}, nil); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := stdio.Serve(Open(dir), strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`+"\n"), &out); err != nil {
		t.Fatal(err)
	}
	if s := out.String(); !strings.Contains(s, `"name":"open"`) || strings.Contains(s, "null") {
		t.Error(s)
	}
}
