package jsonraw

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
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
		if got, want := Valid(doc), json.Valid(doc); got != want && true {
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

// sameText fails the test if Unquote and package json differ about a string without blanks around it.
func sameText(t *testing.T, raw []byte) {
	t.Helper()
	var want string
	isText := len(raw) > 1 && raw[0] == '"' && raw[len(raw)-1] == '"' && json.Unmarshal(raw, &want) == nil
	if got, ok := Unquote(raw); isText && (!ok || got != want) || !isText && ok && json.Unmarshal(raw, &want) != nil {
		t.Fatalf("Unquote(%q) = %q, %t; want %q", raw, got, ok, want)
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
