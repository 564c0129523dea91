package wire

import (
	"bytes"
	"testing"
)

// The id is found where libraries write it, so that a large answer is not parsed. That of something in the result is not taken
// for it.
func TestAnswerID(t *testing.T) {
	for line, want := range map[string]string{
		`{"jsonrpc":"2.0","id":5,"result":{"id":7}}`:               `5`,   // Go, Rust, Python
		`{"result":{"a":[1,"}"]},"jsonrpc":"2.0","id":"s"}` + "\n": `"s"`, // TypeScript
		` { "id" : "a\"" , "jsonrpc" : "2.0", "error" : {} } `:     `"a\""`,
		`{"error":{},"id":-5}`:                                     `-5`,
		`{"result":{"id":7}}`:                                      ``,
		`{"result":[{"x":1,"id":7}]}`:                              ``,
		`{"result":1.5,"id":1.5}`:                                  ``,
		`{"id":null,"error":{}}`:                                   ``,
		`{"id":5,"method":"x","params":{"result":1}}`:              ``,
		`[{"id":5,"result":{}}]`:                                   ``,
	} {
		id, ok := AnswerID([]byte(line))
		if string(id) != want || ok != (want != "") {
			t.Errorf("%s: %q, %v, want %q", line, id, ok, want)
		}
	}
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
