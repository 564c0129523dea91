package vault

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"wsi/hook/carry"
	"wsi/internal/jsonraw"
)

// file is what the tags of package carry say a session's file is: the form that wsi wrote before it
// wrote it by hand.
type file struct {
	Version int `json:"version"`
	carry.State
}

func full() carry.State {
	return carry.State{
		Chains: []carry.Chain{
			{ID: 1, Server: "s", Key: "k", Value: "v", Older: []string{"u"}, Seen: []string{"a", "b"}, Branches: []string{"c"}, Equivalents: []string{"p"}, Since: []string{"q"}, By: "a", SideOf: "z", Shown: []carry.Shown{{Argument: "a.b", Digest: "d1"}, {Argument: "c", Digest: ""}}},
			{ID: 2, Server: "s"},
		},
		Uses: []carry.Use{{Server: "s", Agent: "a", Chain: 1, Side: 3, Back: true, Provisional: true, Unsure: true, Lost: true, At: 5}, {Server: "s", Chain: 2}},
		Notes: []carry.Note{
			{Server: "s", Agent: "a", ID: "i", At: 4, Opens: true, Child: true, Parent: true, Keeps: true, Changes: true, Carried: "d", Handle: true, Whole: true, Back: true, Side: 6, Answered: true, Failed: true, Tries: 3, Files: []string{"/f \"é\""}, From: []int64{1 << 40, -1}},
			{Server: "s", ID: "i2"},
		},
		Said:    []carry.Said{{Server: "s", Agent: "a", About: "d", Member: "m", Digest: "e", Again: 2}, {Server: "s"}},
		Foreign: []string{"t"},
		Pending: []carry.Pending{{Session: "x", Agent: "a", ID: "i", Name: "n", Args: "{}", Kept: true, Tries: 1, Files: []string{"/f"}, From: []int64{3}}, {ID: "j"}},
		Overdue: true,
		Next:    3,
		Clock:   7,
	}
}

// A field that is new in package carry and has no tag would be written in another form.
func TestEveryFieldIsKept(t *testing.T) {
	s := full()
	if field := empty(reflect.ValueOf(file{version, s})); field != "" {
		t.Fatalf("the example has nothing in %s", field)
	}
	for name, s := range map[string]carry.State{"full": s, "zero": {}} {
		want, err := json.Marshal(file{version, s})
		if err != nil {
			t.Fatal(err)
		}
		want = want[:len(want)-1]
		want = fmt.Appendf(want, `,"sum":%d}`, crc32.ChecksumIEEE(want))
		raw := encode(s)
		if diff := cmp.Diff(string(want), string(raw)); diff != "" {
			t.Errorf("%s: encoding/json writes (-) and encode (+):\n%s", name, diff)
		}
		got, err := decode(raw)
		if diff := cmp.Diff(s, got); diff != "" || err != nil {
			t.Errorf("%s: kept (-) and read back (+): %v\n%s", name, err, diff)
		}
	}
}

// empty returns a field that is zero in every element of what holds it, "" if there is none.
func empty(v reflect.Value) string {
	switch {
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.IsZero() {
				return v.Type().Field(i).Name
			} else if f.Kind() == reflect.Struct || f.Kind() == reflect.Slice {
				if field := empty(f); field != "" {
					return v.Type().Field(i).Name + "." + field
				}
			}
		}
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct:
		return empty(v.Index(0))
	}
	return ""
}

func TestInvalidSessions(t *testing.T) {
	raw := string(encode(full()))
	for i := range raw {
		if s, err := decode([]byte(raw[:i])); !errors.Is(err, errCorrupt) || !reflect.DeepEqual(s, carry.State{}) {
			t.Errorf("the first %d bytes: %v, %v", i, s, err)
		}
	}
	for content, want := range map[string]error{
		`null`: errCorrupt, `[]`: errCorrupt, `{}`: errCorrupt, `{"version":0}`: errCorrupt, `{"version":"1"}`: errCorrupt,
		`{"version":1.5}`: errCorrupt, raw + "x": errCorrupt, `{"version":1,"next":"2"}`: errCorrupt,
		`{"version":1,"chains":{}}`: errCorrupt, `{"version":1,"chains":[1]}`: errCorrupt,
		`{"version":1,"uses":[{"unsure":1}]}`: errCorrupt, `{"version":1,"notes":[{"from":["1"]}]}`: errCorrupt,
		`{"version":2,"chains":"another form"}`: ErrNewer,
		`{"version":1,"new":[],"chains":null}`:  nil,
	} {
		if _, err := decode([]byte(content)); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", content, err, want)
		}
	}
}

// What a power cut may leave of a file that is written over: some pages of the old one and some of the new.
func TestPagesThatDoNotBelongTogether(t *testing.T) {
	old, now := full(), full()
	old.Chains[0].Value, now.Chains[0].Value = strings.Repeat("old", 1000), strings.Repeat("new", 1000)
	a, b := encode(old), encode(now)
	for _, page := range []int{100, 512, 1000} {
		if mixed := append(a[:page:page], b[page:]...); !jsonraw.Valid(mixed) {
			t.Errorf("%d: the example is not JSON", page)
		} else if _, err := decode(mixed); !errors.Is(err, errCorrupt) {
			t.Errorf("%d: %v", page, err)
		}
	}
}

// decode reads as encoding/json does, but for names in other cases and doubled members, which no
// wsi ever wrote.
func FuzzDecode(f *testing.F) {
	f.Add(encode(full()))
	f.Add([]byte(`{"version":1,"chains":[null,{"id":-0,"value":"\u00e9\ud800<","seen":[null]}],"next":9223372036854775807}`))
	f.Add([]byte(`{"version":1,"uses":[{"chain":1e2}],"notes":[{"tries":null,"from":[1,null]}],"foreign":[""]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var tree any
		numbers := json.NewDecoder(bytes.NewReader(raw))
		numbers.UseNumber()
		if !jsonraw.Valid(raw) || numbers.Decode(&tree) != nil {
			if _, err := decode(raw); err == nil {
				t.Fatal("decode accepts invalid JSON")
			}
			return
		}
		if upper(tree) {
			return
		}
		raw, err := json.Marshal(tree) // without doubled members
		if err != nil {
			t.Fatal(err)
		}
		var want file
		wrong := json.Unmarshal(raw, &want)
		got, err := decode(raw)
		if errors.Is(err, ErrNewer) {
			return
		}
		if (err == nil) != (wrong == nil && want.Version == version) {
			t.Fatalf("%s\nencoding/json says %v, decode %v", raw, wrong, err)
		}
		if err != nil {
			return
		}
		if diff := cmp.Diff(want.State, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%s\nencoding/json reads (-) and decode (+):\n%s", raw, diff)
		}
		again, err := decode(encode(got))
		if diff := cmp.Diff(got, again, cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Fatalf("%s\nbefore encode (-) and after (+): %v\n%s", raw, err, diff)
		}
		var old file
		if err := json.Unmarshal(encode(got), &old); err != nil || !cmp.Equal(got, old.State, cmpopts.EquateEmpty()) {
			t.Fatalf("%s\nan older wsi reads %+v, %v", encode(got), old, err)
		}
	})
}

// upper reports whether a member's name is not in lower case; encoding/json would take it all the same.
func upper(tree any) bool {
	switch v := tree.(type) {
	case []any:
		for _, e := range v {
			if upper(e) {
				return true
			}
		}
	case map[string]any:
		for key, e := range v {
			if strings.ToLower(strings.ToUpper(key)) != key || upper(e) {
				return true
			}
		}
	}
	return false
}
