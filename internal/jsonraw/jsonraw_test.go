package jsonraw

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
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
	if _, err := Array([]byte(deep)); !errors.Is(err, ErrSyntax) {
		t.Error("a document nested 100,000 deep is accepted")
	}
}

// Object and Array find the members and elements that encoding/json finds, in its order, with their bytes.
func FuzzAgreesWithEncodingJSON(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":1,}`, `[1,2`, `"\u12g4"`, `-0.5e-7`, `01`, `{"a":"\n"}`, "\"\x01\"", ` nul`, `{"a":{"a":[]}}x`, `"`, `{"":null}`, `{"a\\\\":"\\"\\\\\\""}`, `["\\\\","\\\\\\""]`, "\ufeff{}", "{\"\xe4\":1}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		object, err := Object(doc)
		sameItems(t, doc, '{', object, err)
		list, err := Array(doc)
		elements := make(Members, len(list))
		for i := range list {
			elements[i].Value = list[i]
		}
		sameItems(t, doc, '[', elements, err)
		for _, m := range object {
			if string(doc[m.Start:m.End]) != string(m.Value) || !m.Is(text(t, m.Key)) {
				t.Fatalf("%q: %s is at %d", doc, m.Value, m.Start)
			}
		}
		if got, ok := Unquote(Quote(string(doc))); !ok || got != strings.ToValidUTF8(string(doc), "\ufffd") && utf8.Valid(doc) {
			t.Fatalf("%q is quoted and read as %q", doc, got)
		}
	})
}

// sameItems fails the test if encoding/json finds other members, or elements, in a document that begins with open.
func sameItems(t *testing.T, doc []byte, open byte, got Members, failed error) {
	t.Helper()
	in := bytes.TrimLeft(doc, " \t\r\n")
	if is := json.Valid(doc) && in[0] == open; is != (failed == nil) {
		t.Fatalf("%q, %c: %v", doc, open, failed)
	} else if !is {
		return
	}
	d := json.NewDecoder(bytes.NewReader(doc))
	_, _ = d.Token() // the document is valid
	for n := 0; d.More() || n < len(got); n++ {
		var key json.Token
		var value json.RawMessage
		if open == '{' {
			key, _ = d.Token()
		}
		if err := d.Decode(&value); err != nil || n >= len(got) || string(value) != string(got[n].Value) || open == '{' && key != text(t, got[n].Key) {
			t.Fatalf("%q: item %d is %v %s (%v), and %d were found", doc, n, key, value, err, len(got))
		}
	}
}

func text(t *testing.T, raw []byte) (s string) {
	t.Helper()
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatalf("%q: %v", raw, err)
	}
	return s
}

func TestUnquote(t *testing.T) {
	for raw, want := range map[string]string{
		`""`: "", `"plain"`: "plain", `"\"\\\/\b\f\n\r\t"`: "\"\\/\b\f\n\r\t", `"\u00e9\ud83d\ude00"`: "é😀", "\"\x7f\\n\"": "\x7f\n",
	} {
		if got, ok := Unquote([]byte(raw)); !ok || got != want {
			t.Errorf("%s: %q, %t", raw, got, ok)
		}
	}
	for _, raw := range []string{``, `"`, `x`, `1`, `null`, ` "a"`, `"a`, `"\x"`, `"\"`, `"a"b"`, "\"a\nb\"", `"\u12"`} {
		if got, ok := Unquote([]byte(raw)); ok {
			t.Errorf("%s: %q", raw, got)
		}
	}
}

func TestSet(t *testing.T) {
	for _, c := range []struct{ doc, key, want string }{
		{`{}`, "k", `{"k":1}`},
		{" { } ", "k", `{ "k":1}`},
		{`{"a":"}" }`, "k", `{"a":"}" ,"k":1}`},
		{`{"k": [2],"a":3}`, "k", `{"k": 1,"a":3}`},
		{`{"a":{"k":2},"k":"}","b":"k"}`, "k", `{"a":{"k":2},"k":1,"b":"k"}`},
		{`{"k":2,"a":3,"\u006b":4}`, "k", `{"a":3,"k":1}`},
		{`{"a":2}`, "\"\n", `{"a":2,"\"\n":1}`},
		{`{"a":{}}`, "a.b", `{"a":{},"a.b":1}`},
		{`{"0":[2]}`, "0", `{"0":1}`},
		{`{}`, "0", `{"0":1}`},
		{`{"a":2}`, "-1", `{"a":2,"-1":1}`},
	} {
		if got := Set([]byte(c.doc), c.key, []byte("1")); string(got) != c.want {
			t.Errorf("%s in %s: %s, want %s", c.key, c.doc, got, c.want)
		}
	}
}

func TestRemove(t *testing.T) {
	for doc, want := range map[string]string{
		`[1]`:                        `[1]`,
		`{ "a" : 1 }`:                `{ "a" : 1 }`,
		`{ "k" : 1 }`:                `{}`,
		`{"k":"}","a":","}`:          `{"a":","}`,
		`{"k" : 1 , "a":2 }`:         `{"a":2}`,
		`{"a":1 , "k" : {"k":2} }`:   `{"a":1}`,
		`{"k":1,"a":"k","\u006b":2}`: `{"a":"k"}`,
		`{"\"":"","k":"\""}`:         `{"\"":""}`,
	} {
		if got := Remove([]byte(doc), "k"); string(got) != want {
			t.Errorf("%s: %s, want %s", doc, got, want)
		}
	}
}

// Set, Replace and Remove change members with the key and no others.
func FuzzEdit(f *testing.F) {
	f.Add([]byte(`{"a":1, "b" : {"a":2},"a":3}`), "a")
	f.Add([]byte(` {"\u006b":"}"} `), "k")
	f.Add([]byte(`{}`), "\x00\"")
	f.Add([]byte(`{"\"":""}`), "\"")
	f.Fuzz(func(t *testing.T, doc []byte, key string) {
		members, err := Object(doc)
		if err != nil || len(members) == maxItems {
			return
		}
		if k, ok := Unquote(Quote(key)); !ok || k != key {
			return // not valid UTF-8
		}
		value := []byte(`[7]`)
		others := func(doc []byte) (all []Member, same int) {
			members, err := Object(doc)
			if err != nil {
				t.Fatalf("%q: %v", doc, err)
			}
			for _, m := range members {
				if !m.Is(key) {
					all = append(all, m)
				} else if bytes.Equal(m.Value, value) {
					same++
				}
			}
			return all, same
		}
		before, _ := others(doc)
		edits := map[string][]byte{"Set": Set(doc, key, value), "Remove": Remove(doc, key)}
		want := map[string]int{"Set": 1}
		if m, ok := members.Find(key); ok {
			edits["Replace"] = Replace(doc, m, value)
		}
		for name, edited := range edits {
			after, same := others(edited)
			if n, ok := want[name]; ok && same != n || name == "Replace" && same == 0 || len(after) != len(before) {
				t.Fatalf("%s of %q in %q: %q", name, key, doc, edited)
			}
			for i := range after {
				if !bytes.Equal(after[i].Key, before[i].Key) || !bytes.Equal(after[i].Value, before[i].Value) {
					t.Fatalf("%s of %q in %q: %q", name, key, doc, edited)
				}
			}
		}
		if m, _ := Object(edits["Remove"]); m.Get(key) != nil {
			t.Fatalf("Remove of %q in %q: %q", key, doc, edits["Remove"])
		}
	})
}
