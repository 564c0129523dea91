package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

// Lines of all lengths, however they come, each in its own part of the buffer: appending to it must not overwrite others.
func TestLines(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 8 {
		var want [][]byte
		for range 30 {
			n := random.IntN(100)
			if random.IntN(3) == 0 {
				n = readSize - 2 + random.IntN(5) + readSize*random.IntN(3)
			}
			want = append(want, append(bytes.Repeat([]byte{byte('a' + len(want)%26)}, n), '\n'))
		}
		want = append(want, []byte("a\r\n"), []byte("\n"), []byte("half"))
		l := NewLines(&bites{bytes.Join(want, nil), random})
		for i := range want {
			line, err := l.Next()
			if !bytes.Equal(line, want[i]) || errors.Is(err, io.EOF) != (i == len(want)-1) {
				t.Fatalf("line %d: %d bytes, want %d; %v", i, len(line), len(want[i]), err)
			}
			_ = append(line, "spoilt"...)
		}
	}
}

// bites gives away as much as it likes to.
type bites struct {
	rest   []byte
	random *rand.Rand
}

func (b *bites) Read(p []byte) (int, error) {
	if len(b.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, b.rest[:min(len(b.rest), b.random.IntN(3*readSize))])
	b.rest = b.rest[n:]
	return n, nil
}

// A message has a largest size, and what a large one took is given back.
func TestLargeMessages(t *testing.T) {
	l := NewLines(strings.NewReader(strings.Repeat("x", 2*keepBuffer) + "\n" + "y\n" + strings.Repeat("x", 4*keepBuffer)))
	l.max = 3 * keepBuffer
	for _, want := range []int{2*keepBuffer + 1, 2} {
		if line, err := l.Next(); len(line) != want || err != nil {
			t.Errorf("%d bytes, want %d; %v", len(line), want, err)
		}
	}
	if cap(l.long) > keepBuffer {
		t.Errorf("it keeps %d bytes", cap(l.long))
	}
	if line, err := l.Next(); len(line) > 0 || !errors.Is(err, ErrTooLong) {
		t.Errorf("%d bytes, %v", len(line), err)
	}
}

func TestParse(t *testing.T) {
	for in, want := range map[string]struct {
		id, method, params, result string
		ok                         bool
	}{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`:                     {"1", "ping", "", "", true},
		` {"id" : "a" , "method":"tools\/call", "params" : {"x":1} } `: {`"a"`, "tools/call", `{"x":1}`, "", true},
		`{"method":"notifications/x"}`:                                 {"", "notifications/x", "", "", true},
		`{"id":null,"method":"x"}`:                                     {"", "x", "", "", true},
		`{"id":7,"result":[]}`:                                         {"7", "", "", "[]", true},
		`{"id":7,"error":{}}`:                                          {"7", "", "", "", true},
		`[{"id":1,"method":"ping"}]`:                                   {},
		`{"id":1,"id":2,"method":"ping"}`:                              {},
		`{"id":1,"\u0069d":2,"method":"ping"}`:                         {},
		`{"id":1,"method":7}`:                                          {},
		`{"id":1,"method":"ping"`:                                      {},
		`{"id":1} {"id":2}`:                                            {},
		`null`:                                                         {},
		``:                                                             {},
	} {
		m, ok := Parse([]byte(in))
		if ok != want.ok || ok && (string(m.ID) != want.id || m.Method != want.method || string(m.Params.Value) != want.params || string(m.Result.Value) != want.result) {
			t.Errorf("%s: %v %q %q %q %q", in, ok, m.ID, m.Method, m.Params.Value, m.Result.Value)
		}
	}
}

func TestKeysOfEqualIDs(t *testing.T) {
	for _, same := range [][2]string{{`1`, `1.0`}, {`10`, `1e1`}, {`"a"`, `"\u0061"`}} {
		if Key([]byte(same[0])) != Key([]byte(same[1])) {
			t.Errorf("%s and %s are two", same[0], same[1])
		}
		if key := Key([]byte(same[0])); Key(ID(key)) != key {
			t.Errorf("%s has another key as an id again", same[0])
		}
	}
	for _, other := range [][2]string{{`1`, `"1"`}, {`1`, `2`}, {`"a"`, `"b"`}, {`9007199254740993`, `9007199254740992`}} {
		if Key([]byte(other[0])) == Key([]byte(other[1])) {
			t.Errorf("%s and %s are one", other[0], other[1])
		}
	}
}

// Parse changes no line, and what it takes for a message is one.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":[1,2]}}}`))
	f.Add([]byte(`{"id":"s","result":{"content":[],"_meta":{"a":1}}}` + "\r\n"))
	f.Add([]byte(`{"id":1,"id":2,"method":"a"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		kept := bytes.Clone(raw)
		m, ok := Parse(raw)
		if !bytes.Equal(raw, kept) {
			t.Fatal("the line was changed")
		}
		if ok && (!json.Valid(raw) || m.ID != nil && !json.Valid(m.ID)) {
			t.Errorf("id %q", m.ID)
		}
	})
}

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

func TestSplit(t *testing.T) {
	const m = `{"jsonrpc":"2.0","id":1,"result":{}}`
	for line, want := range map[string][2]string{
		m + "\n":                               {m + "\n", ""},
		"  " + m + "\r\n":                      {"  " + m + "\r\n", ""},
		`{ "id":1, "jsonrpc" : "2.0" }`:        {`{ "id":1, "jsonrpc" : "2.0" }`, ""},
		"server ready " + m + "\n":             {m + "\n", "server ready "},
		"server ready\n":                       {"", "server ready\n"},
		`{"level":"info","message":"ready"}`:   {"", `{"level":"info","message":"ready"}`},
		`[1] ready`:                            {"", `[1] ready`},
		`{"id":1,"result":{}}`:                 {`{"id":1,"result":{}}`, ""},
		`{"method":"ping"}`:                    {`{"method":"ping"}`, ""},
		`[` + m + `]`:                          {`[` + m + `]`, ""},
		`{"jsonrpc":"2.0","id":1,"res`:         {`{"jsonrpc":"2.0","id":1,"res`, ""},
		" \t\r\n":                              {"", ""},
		"":                                     {"", ""},
		`the text {"jsonrpc" is no message {}`: {"", `the text {"jsonrpc" is no message {}`},
	} {
		message, other := Split([]byte(line))
		if string(message) != want[0] || string(other) != want[1] {
			t.Errorf("%q: %q and %q", line, message, other)
		}
	}
}
