package edit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/tidwall/jsonc"

	"wsi/harnesses"
	"wsi/internal/hand"
)

// For whatever configuration: all entries are there once, nothing of others' is lost, a second run
// changes nothing, and removal gives back the same bytes.
func TestJSONOfEveryHand(t *testing.T) {
	hand.Each(t, 1000, func(t *testing.T, r *rand.Rand) {
		t.Helper()
		kind := []string{"json", "jsonc"}[r.IntN(2)]
		file := fileLike(kind)
		rules := hand.Rules{Events: []string{"Stop", file.Entries[0].Event, "Other", file.Entries[1].Event}}
		if kind == "jsonc" {
			rules.Flat, rules.Comments, rules.Preset = true, true, `"version": 1`
		}
		before := hand.JSON(r, rules)
		after, made, err := Install(file, []byte(before))
		if err != nil {
			t.Fatalf("%v\n%s", err, before)
		}
		checkInstalled(t, file, after)
		checkKept(t, before, string(after))
		back, err := Remove(file, after, made)
		if err != nil || string(back) != before {
			t.Errorf("%v\nremoved\n%s", err, back)
		}
		surgical, err := Remove(file, after, nil)
		if err != nil {
			t.Error(err)
		}
		if left, err := Entries(file, surgical); err != nil || anyOurs(left) {
			t.Errorf("left %v %v", left, err)
		}
		if t.Failed() {
			t.Fatalf("before\n%s\nafter\n%s", before, after)
		}
	})
}

// checkKept: every byte of before is in after, in the same order.
func checkKept(t *testing.T, before, after string) {
	t.Helper()
	at := 0
	for i := range len(before) {
		n := strings.IndexByte(after[at:], before[i])
		if n < 0 {
			t.Errorf("from byte %d on, %q is gone", i, before[i:])
			return
		}
		at += n + 1
	}
}

func anyOurs(all []Found) bool {
	for _, f := range all {
		if f.Ours {
			return true
		}
	}
	return false
}

func TestTOMLOfEveryHand(t *testing.T) {
	file := fileLike("toml")
	hand.Each(t, 1000, func(t *testing.T, r *rand.Rand) {
		t.Helper()
		before := hand.TOML(r, "PreToolUse", "PostToolUse", "Stop")
		after, made, err := Install(file, []byte(before))
		if err != nil {
			t.Fatalf("%v\n%s", err, before)
		}
		checkInstalled(t, file, after)
		checkKept(t, before, string(after))
		trusted, err := SetTrust(after, record("sha256:2"))
		if err != nil {
			t.Fatalf("%v\n%s", err, after)
		}
		checkInstalled(t, file, trusted)
		checkKept(t, string(after), string(trusted))
		back, err := RemoveTrust(trusted, []harnesses.TrustRecord{record("sha256:2")})
		if err == nil {
			back, err = Remove(file, back, made)
		}
		// A table "state" in braces stays, empty.
		back = bytes.Replace(back, []byte(", state = {} }"), []byte(" }"), 1)
		if err != nil || string(back) != before || t.Failed() {
			t.Fatalf("%v\nbefore\n%s\nafter\n%s\ntrusted\n%s\nremoved\n%s", err, before, after, trusted, back)
		}
	})
}

// FuzzJSON: whatever is installed into still parses, holds the entries, is left alone by a second
// run, and means after removal what it meant before.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{"", "{}", "{\"a\":1}", "\ufeff{\r\n\t\"hooks\": {\r\n\t}\r\n}", "{ // c\n\"hooks\":{\"preToolUse\":[{},],},}", "{\"hooks\":{\"PreToolUse\":[[],1,null,{\"hooks\":[{}]}]}}", "{\"hooks\":{\"PreToolUse\" : [ ] } }"} {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	f.Fuzz(func(t *testing.T, before []byte, comments bool) {
		file := fileLike("json")
		if comments {
			file = fileLike("jsonc")
		}
		after, made, err := Install(file, before)
		if err != nil {
			return
		}
		checkInstalled(t, file, after)
		if all, err := Entries(file, before); err != nil || anyOurs(all) {
			return
		}
		back, err := Remove(file, after, made)
		if err != nil {
			t.Fatal(err)
		}
		was, is := meaning(t, before, comments), meaning(t, back, comments)
		if v, ok := is["version"]; comments && was["version"] == nil && ok && fmt.Sprint(v) == "1" {
			delete(is, "version") // stays while others' hooks need it
		}
		if !reflect.DeepEqual(was, is) {
			t.Errorf("before %q\nafter removal %q", before, back)
		}
	})
}

func meaning(t *testing.T, content []byte, comments bool) map[string]any {
	t.Helper()
	content = []byte(strings.TrimPrefix(string(content), bom))
	if isBlank(content) {
		return map[string]any{}
	}
	if comments {
		content = jsonc.ToJSON(content)
	}
	var v map[string]any
	if err := json.Unmarshal(content, &v); err != nil {
		t.Fatalf("%v\n%s", err, content)
	}
	return v
}

// FuzzTOML is FuzzJSON for TOML, with a trust record.
func FuzzTOML(f *testing.F) {
	for _, s := range []string{"", "a=1", "hooks={}", "[hooks]\nPreToolUse=[]", "[[hooks.PreToolUse]]\nhooks=[{}]", "hooks.state={}", "[hooks.state]\n\"/home/u/.codex/hooks.json:pre_tool_use:0:0\".enabled=true", "\ufeffa=1\r\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, before []byte) {
		file := fileLike("toml")
		after, made, err := Install(file, before)
		if err != nil {
			return
		}
		checkInstalled(t, file, after)
		after, err = SetTrust(after, record("sha256:1"))
		if err != nil {
			return
		}
		checkInstalled(t, file, after)
		back, err := RemoveTrust(after, []harnesses.TrustRecord{record("sha256:1")})
		if err != nil {
			t.Fatal(err)
		}
		all, err := Entries(file, before)
		if err != nil {
			t.Fatal(err)
		}
		if back, err = Remove(file, back, made); err != nil {
			t.Fatal(err)
		}
		if anyOurs(all) || strings.Contains(string(before), "trusted_hash") {
			return
		}
		was, err := decodeTOML([]byte(strings.TrimPrefix(string(before), bom)))
		if err != nil {
			t.Fatal(err)
		}
		is, err := decodeTOML([]byte(strings.TrimPrefix(string(back), bom)))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(normal(was), normal(is)) {
			t.Errorf("before %q\nafter removal %q", before, back)
		}
	})
}
