package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// all reads everything and puts it together again.
func all(t *testing.T, l *Lines) (kinds []Kind, out []byte) {
	t.Helper()
	for range 10000 {
		line, kind, err := l.Next()
		out = append(out, line...)
		kinds = append(kinds, kind)
		if errors.Is(err, io.EOF) {
			return kinds, out
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("it does not end")
	return nil, nil
}

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 3*readSize)
	for name, c := range map[string]struct {
		in   string
		want []Kind
	}{
		"nothing":                {"", []Kind{Half}},
		"two and a half":         {"a\nb\nc", []Kind{Whole, Half}},
		"CRLF and empty":         {"a\r\n\n", []Kind{Whole, Half}},
		"longer than the buffer": {long + "\na\n", []Kind{Whole, Half}},
		"half, and long":         {long, []Kind{Half}},
		"too long":               {strings.Repeat("x", 6*readSize) + "\na\n", []Kind{Piece, Last, Whole, Half}},
		"too long, and half":     {strings.Repeat("x", 6*readSize) + "x", []Kind{Piece, Last}},
	} {
		l := NewLines(strings.NewReader(c.in))
		l.max = 4 * readSize
		kinds, out := all(t, l)
		kinds = slices.Compact(kinds)
		if string(out) != c.in {
			t.Errorf("%s: other bytes came out", name)
		}
		if !reflect.DeepEqual(kinds, c.want) {
			t.Errorf("%s: %v, want %v", name, kinds, c.want)
		}
		l = NewLines(iotest.OneByteReader(strings.NewReader(c.in)))
		l.max = 4 * readSize
		if _, out := all(t, l); string(out) != c.in {
			t.Errorf("%s, a byte at a time: other bytes came out", name)
		}
	}
}

// Lines of all lengths, however they come, each in its own part of the buffer: appending to it must not overwrite others.
func TestLinesAnyhow(t *testing.T) {
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
		l := NewLines(&bites{bytes.Join(want, nil), random})
		for i := range want {
			line, kind, err := l.Next()
			if !bytes.Equal(line, want[i]) || kind != Whole || err != nil {
				t.Fatalf("line %d: %d bytes, want %d; %v, %v", i, len(line), len(want[i]), kind, err)
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

// What a large message took is given back.
func TestLargeBuffersAreGivenBack(t *testing.T) {
	l := NewLines(strings.NewReader(strings.Repeat("x", 2*keepBuffer) + "\n" + strings.Repeat("y\n", readSize)))
	for range 3 + readSize {
		if _, _, err := l.Next(); err != nil {
			break
		}
	}
	if len(l.buf) > keepBuffer {
		t.Errorf("it keeps %d bytes", len(l.buf))
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
