package vault

import (
	"errors"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wsi/hook/carry"
)

func full() carry.State {
	return carry.State{
		Chains: []carry.Chain{
			{ID: 1, Server: "s", Key: "k", Value: "v", Older: []string{"u"}, Seen: []string{"a", "b"}, Branches: []string{"c"}, Equivalents: []string{"p"}, Since: []string{"q"}, By: "a", Child: true, SideOf: "z"},
			{ID: 2, Server: "s"},
		},
		Uses: []carry.Use{{Server: "s", Agent: "a", Chain: 1, Side: 3, Back: true, Provisional: true, Unsure: true, Lost: true, Needs: 2, Met: []int{3}, At: 5}, {Server: "s", Chain: 2}},
		Notes: []carry.Note{
			{Server: "s", Agent: "a", ID: "i", At: 4, Opens: true, Child: true, Parent: true, Keeps: true, Changes: true, Carried: "d", Handle: true, Whole: true, Key: "k", Back: true, Side: 6, Answered: true, Failed: true, Tries: 3, Files: []string{"/f \"é\""}, From: []int64{1 << 40, -1}},
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

// A field that is new in package carry and has no tag would not be noticed.
func TestEveryFieldIsKept(t *testing.T) {
	s := full()
	if field := empty(reflect.ValueOf(file{version, s})); field != "" {
		t.Fatalf("the example has nothing in %s", field)
	}
	for name, s := range map[string]carry.State{"full": s, "zero": {}} {
		raw, err := encode(s)
		if err != nil {
			t.Fatal(err)
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
	encoded, err := encode(full())
	if err != nil {
		t.Fatal(err)
	}
	raw := string(encoded)
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
