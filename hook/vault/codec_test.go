package vault

import (
	"errors"
	"reflect"
	"testing"

	"wsi/hook/carry"
)

func TestInvalidSessions(t *testing.T) {
	stored := carry.Stored("s", "v")
	stored.Notes = []carry.Note{{Server: "s", ID: "i", Files: []string{"/f \"é\""}, From: []int64{1 << 40, -1}}}
	encoded, err := encode(stored)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := decode(encoded); err != nil || !reflect.DeepEqual(s, stored) {
		t.Errorf("read back: %+v, %v", s, err)
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
