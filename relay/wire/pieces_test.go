package wire

import (
	"bytes"
	"testing"

	"wsi/internal/jsonraw"
)

// Of every message the pieces say what the whole says, wherever it is cut.
func FuzzPieces(f *testing.F) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"x","params":{"id":2,"method":[]}}`,
		` { "params" : ["\"id\":7", "}"] , "method" : "a\\" , "id" : "b\u0041" } `,
		`{"id":"a","result":{"method":"x"}}`,
		`{"method":"x","id":null}`,
		`{"method":"x","params":{"a":"{\"id\":1}"}}`,
	} {
		f.Add([]byte(line), 9)
	}
	f.Fuzz(func(t *testing.T, line []byte, cut int) {
		var p Pieces
		at := max(0, min(cut, len(line)))
		p.Add(line[:at])
		p.Add(line[at:])
		got := p.Request()
		m, ok := Parse(line)
		if !ok || len(m.ID) >= maxWord || len(m.Method) >= maxWord || bytes.Contains(line, []byte(`\u`)) {
			if got != nil && !jsonraw.Valid(got) {
				t.Errorf("%q: %q is not an id", line, got)
			}
			return
		}
		var want []byte
		if m.Request() && m.ID[0] != '{' && m.ID[0] != '[' {
			want = m.ID
		}
		if m.ID != nil && (m.ID[0] == '{' || m.ID[0] == '[') { // which JSON-RPC has not
			return
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	})
}

// What is known of an answer without reading it is what its parsing says.
func FuzzAnswerID(f *testing.F) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{"id":2}}`, `{"result":{"a":"}"},"jsonrpc":"2.0","id":"b"}` + "\n", `{"error":{},"id":-7}`,
		`{"id":1,"method":"x"}`, `{"result":"\",\"id\":7","id":8}`, `{"result":{"x":1,"id":7}}`, `{ "id" : "a\"" , "result" : 1 }`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		id, ok := AnswerID(line)
		m, is := Parse(line)
		if ok && is && (!m.Answer() || !bytes.Equal(id, m.ID)) && string(id) != "null" {
			t.Errorf("%q: %q, want %q, an answer: %v", line, id, m.ID, m.Answer())
		}
	})
}
