package jsonraw

import (
	"bytes"
	"testing"
)

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
