package wire

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// The id of a request that comes in pieces is found wherever libraries write it. That of an answer, or of something in the
// message, is not taken for it.
func TestEnds(t *testing.T) {
	large := `"` + strings.Repeat(`x{\"id\":7,`, endSize) + `"`
	for line, want := range map[string]string{
		`{"jsonrpc":"2.0","id":5,"method":"x","params":{"a":L}}`:                 `5`,   // Go, Rust
		`{"method":"x","params":{"a":L},"jsonrpc":"2.0","id":5}`:                 `5`,   // TypeScript
		`{"method":"x","params":{"a":L,"id":7},"jsonrpc":"2.0","id":"s"}` + "\n": `"s"`, // Python
		` { "id" : "s" , "params" : [ L ] , "method" : "x" } `:                   `"s"`,
		`{"params":{"id":2,"a":L}, "method":"x", "id" : "b"}`:                    `"b"`,
		`{"params":L,"id":-5,"method":"x"}`:                                      `-5`,
		`{"method":"tools\/call","id":5,"params":L}`:                             `5`,
		`{"id":"a\"","method":"x","params":L}`:                                   `"a\""`,
		`{"method":"x","params":{"a":L}}`:                                        ``,
		`{"method":"x","params":{"a":L,"id":7}}`:                                 ``,
		`{"method":"x","params":{"a":L,"id":7},"jsonrpc":"2.0"}`:                 ``,
		`{"method":"x","id":null,"params":L}`:                                    ``,
		`{"method":"x","id":1.5,"params":L}`:                                     ``,
		`{"id":5,"result":L}`:                                                    ``,
		`{"result":{"a":L},"id":5}`:                                              ``,
		`{"error":L,"id":5}`:                                                     ``,
		`[{"id":5,"method":"x","params":L}]`:                                     ``,
	} {
		text := strings.Replace(line, "L", large, 1)
		for _, size := range []int{1, 100, endSize, len(text)} {
			var e Ends
			for piece := range slices.Chunk([]byte(text), size) {
				e.Add(piece)
			}
			if got := string(e.Request()); got != want {
				t.Errorf("%s in pieces of %d: %q, want %q", line, size, got, want)
			}
			if len(e.first) > endSize || len(e.last) > endSize {
				t.Errorf("%d and %d bytes are kept", len(e.first), len(e.last))
			}
		}
	}
}

// What the ends say of a message is what the whole says, wherever it is cut.
func FuzzEnds(f *testing.F) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"x","params":{"id":2,"method":[]}}`,
		` { "params" : ["\"id\":7", "}"] , "method" : "a\\" , "id" : "b\u0041" } `,
		`{"id":"a","result":{"method":"x"}}`,
		`{"method":"x","id":null}`,
		`{"method":"x","params":{"a":"{\"id\":1}"}}`,
		`{"method":"x","params":{"a":[{"b":1,"id":7}]},"id":8}`,
	} {
		f.Add([]byte(line), 9)
	}
	f.Fuzz(func(t *testing.T, line []byte, cut int) {
		var e Ends
		at := max(0, min(cut, len(line)))
		e.Add(line[:at])
		e.Add(line[at:])
		got := e.Request()
		m, ok := Parse(line)
		if got == nil || !ok || m.Method == "" && m.Params.Value != nil { // params alone make no request
			return
		}
		if !m.Request() || !bytes.Equal(got, m.ID) {
			t.Errorf("%q: got %q, want %q", line, got, m.ID)
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
