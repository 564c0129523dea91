package rawjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

func TestObject(t *testing.T) {
	doc := []byte(" {\"a\" : {\"x\":[1,2,{\"y\":\"}\"}]}, \"b\\u0061\":12345678901234567890.10e+2,\"a\":\"last\\\"\" ,\"e\":\"\xff\"}\n")
	m, err := Object(doc)
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"a": `"last\""`, "ba": "12345678901234567890.10e+2", "e": "\"\xff\"", "none": ""} {
		if got := string(m.Get(key)); got != want {
			t.Errorf("%s = %s, want %s", key, got, want)
		}
	}
	if got := string(m[0].Value); got != `{"x":[1,2,{"y":"}"}]}` || string(doc[m[0].Start:m[0].End]) != got {
		t.Errorf("first member %s", got)
	}
	if m.String("a") != `last"` || m.String("ba") != "" {
		t.Errorf("strings %q %q", m.String("a"), m.String("ba"))
	}
}

func TestKinds(t *testing.T) {
	if _, err := Object([]byte(`[1]`)); !errors.Is(err, ErrKind) {
		t.Errorf("array as object: %v", err)
	}
	if _, err := Array([]byte(`{}`)); !errors.Is(err, ErrKind) {
		t.Errorf("object as array: %v", err)
	}
	if e, err := Array([]byte(` [ 1 , "a,]" , [] ] `)); err != nil || len(e) != 3 || string(e[1]) != `"a,]"` {
		t.Errorf("array %s %v", e, err)
	}
	deep := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
	if Valid([]byte(deep)) {
		t.Error("a document nested 100,000 deep is accepted")
	}
}

func FuzzAgreesWithEncodingJSON(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":1,}`, `[1,2`, `"\u12g4"`, `-0.5e-7`, `01`, `{"a":"\n"}`, "\"\x01\"", ` nul`, `{"a":{"a":[]}}x`, `"`, `{"":null}`, `{"a\\\\":"\\"\\\\\\""}`, `["\\\\","\\\\\\""]`, "\ufeff{}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		if got, want := Valid(doc), json.Valid(doc); got != want && bytes.Count(doc, []byte("["))+bytes.Count(doc, []byte("{")) < maxDepth {
			t.Fatalf("Valid(%q) = %v, encoding/json says %v", doc, got, want)
		}
		if m, err := Object(doc); err == nil {
			var want map[string]json.RawMessage
			if err := json.Unmarshal(doc, &want); err != nil {
				t.Fatalf("%q is accepted, encoding/json: %v", doc, err)
			}
			if known, err := ObjectIn(doc); err != nil || !reflect.DeepEqual(known, m) {
				t.Fatalf("ObjectIn(%q) = %v, %v; want %v", doc, known, err, m)
			}
			for _, member := range m {
				k, _ := Unquote(member.Key)
				sameInner(t, doc, k)
				if value, err := Get(doc, k); err != nil || !bytes.Equal(value, m.Get(k)) {
					t.Fatalf("%q: %q of %s, want %q (%v)", doc, value, member.Key, m.Get(k), err)
				}
				if value, err := GetIn(doc, k); err != nil || !bytes.Equal(value, m.Get(k)) {
					t.Fatalf("GetIn(%q, %s) = %q, %v; want %q", doc, member.Key, value, err, m.Get(k))
				}
				if k, ok := Unquote(member.Key); !ok || (want[k] == nil && !strings.ContainsRune(k, '\ufffd')) {
					t.Fatalf("%q: key %s", doc, member.Key)
				}
			}
		}
		_, one := Object(doc)
		if _, err := Get(doc, "a"); !errors.Is(err, one) {
			t.Fatalf("Get(%q): %v, Object: %v", doc, err, one)
		}
		if e, err := Array(doc); err == nil {
			if known, err := ArrayIn(doc); err != nil || !reflect.DeepEqual(known, e) {
				t.Fatalf("ArrayIn(%q) = %q, %v; want %q", doc, known, err, e)
			}
		}
		sameText(t, doc)
		sameText(t, append(append([]byte{'"'}, doc...), '"'))
		if q := Quote(string(doc)); json.Valid(doc) && !Valid(q) {
			t.Fatalf("Quote(%q) = %q", doc, q)
		}
	})
}

// sameInner fails the test if Object and Array find other members or elements in a member, or other members of those, than Object
// with a path.
func sameInner(t *testing.T, doc []byte, key string) {
	t.Helper()
	members, err := Object(doc, key, "")
	if err != nil {
		t.Fatalf("Object(%q, %q): %v", doc, key, err)
	}
	same := func(raw []byte, inner Members) {
		want, _ := Object(raw)
		if elements, err := Array(raw); err == nil {
			for _, e := range elements {
				want = append(want, Member{Value: e})
			}
		}
		for i := range min(len(inner), len(want)) {
			if !bytes.Equal(inner[i].Key, want[i].Key) || !bytes.Equal(inner[i].Value, want[i].Value) {
				t.Fatalf("in %q: %q, want %q", raw, inner[i].Value, want[i].Value)
			}
		}
		if len(inner) != len(want) {
			t.Fatalf("in %q: %d, want %d", raw, len(inner), len(want))
		}
	}
	for _, m := range members {
		if !m.Is(key) {
			same(nil, m.Inner)
			continue
		}
		same(m.Value, m.Inner)
		for _, in := range m.Inner {
			if bytes.HasPrefix(in.Value, []byte{'['}) {
				same(nil, in.Inner)
			} else if in.Is("") {
				same(in.Value, in.Inner)
			}
		}
	}
}

// sameText fails the test if Unquote and package json differ about a string without blanks around it.
func sameText(t *testing.T, raw []byte) {
	t.Helper()
	var want string
	isText := len(raw) > 1 && raw[0] == '"' && raw[len(raw)-1] == '"' && json.Unmarshal(raw, &want) == nil
	if got, ok := Unquote(raw); isText && (!ok || got != want) || !isText && ok && json.Unmarshal(raw, &want) != nil {
		t.Fatalf("Unquote(%q) = %q, %t; want %q", raw, got, ok, want)
	}
}

// An array with very many elements is read, but not kept. Neither are the elements of an array at the end of the path.
func TestTooManyInner(t *testing.T) {
	list := "[" + strings.Repeat("0,", 60000) + "0]"
	few := []byte(`{"a":[` + strings.Repeat(list+",", 20) + list + `]}`)
	doc := []byte(`{"a":[` + strings.Repeat("0,", 1<<20) + `0],"b":[1]}`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	members, err := Object(doc, "a", "")
	runtime.ReadMemStats(&after)
	if err != nil || len(members) != 2 || members[0].Inner != nil {
		t.Fatalf("%d members, %v", len(members), err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 64<<20 {
		t.Errorf("%d MB were allocated", n>>20)
	}
	members, err = Object(few, "a", "")
	runtime.ReadMemStats(&before)
	if err != nil || len(members[0].Inner) != 21 {
		t.Fatalf("%v, %v", members, err)
	}
	if n := before.TotalAlloc - after.TotalAlloc; n > 1<<20 {
		t.Errorf("%d MB were allocated for lists", n>>20)
	}
}

// What is kept of a whole document is bounded, too, also if a key comes again and again.
func TestTooManyInnerTogether(t *testing.T) {
	list := `"a":[` + strings.Repeat("0,", 1<<15) + `0]`
	doc := []byte(`{` + strings.Repeat(list+",", 100) + list + `}`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	members, err := Object(doc, "a", "")
	runtime.ReadMemStats(&after)
	if err != nil || len(members) != 101 || len(members[0].Inner) != 1<<15+1 || members[100].Inner != nil {
		t.Fatalf("%d members, %v", len(members), err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 256<<20 {
		t.Errorf("%d MB were allocated", n>>20)
	}
}

// A text of any length ends at its first quote, backslash or control character.
func TestPlainPrefix(t *testing.T) {
	text := bytes.Repeat([]byte("a !#[]^\x7f\x80\xa2\xdc\xff"), 40)
	for _, special := range []byte{'"', '\\', 0, '\n', 0x1f} {
		for n := range text {
			for _, also := range []int{n + 1, n + 7, n + 31, len(text)} {
				b := bytes.Clone(text)
				b[n] = special
				if also < len(b) {
					b[also] = ' ' - 1
				}
				for start := range min(n, 9) {
					if got := plainPrefix(b[start:]); got != n-start {
						t.Fatalf("from %d: %d, want %d", start, got, n-start)
					}
				}
			}
		}
	}
	if got := plainPrefix(text); got != len(text) {
		t.Errorf("%d, want %d", got, len(text))
	}
}

func TestUnquote(t *testing.T) {
	for _, inner := range []string{
		``, `plain`, `\"\\\/\b\f\n\r\t`, `a\nb`, `\u00e9\ud83d\ude00`, `\x`, `\`, `\\\`, `a"b`, "a\nb", "\xff\\n", "\xed\xa0\x80\\n", `é\n`, `\u12`, "\x7f\\n",
	} {
		sameText(t, []byte(`"`+inner+`"`))
		sameText(t, []byte(`"`+inner))
	}
}

func BenchmarkUnquote(b *testing.B) {
	raw := Quote(strings.Repeat("{\"id\":\"550e8400-e29b-41d4\",\"note\":\"a few words\"}\n", 400))
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		if _, ok := Unquote(raw); !ok {
			b.Fatal("not a string")
		}
	}
}

func BenchmarkObject1MB(b *testing.B) {
	doc, _ := json.Marshal(map[string]any{"tool_response": strings.Repeat(`a "quoted" text with lines`+"\n", 40_000)})
	b.SetBytes(int64(len(doc)))
	for b.Loop() {
		if _, err := Object(doc); err != nil {
			b.Fatal(err)
		}
	}
}
