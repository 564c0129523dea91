package edit

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"wsi/harnesses/setup"
	"wsi/internal/testkit/configgen"
)

// In any configuration, all entries are there once, other entries are kept, a second run changes nothing, and removal
// restores the same bytes.
func TestRandomJSON(t *testing.T) {
	configgen.Each(t, 500, func(t *testing.T, r *rand.Rand) {
		t.Helper()
		kind := []string{"json", "jsonc"}[r.IntN(2)]
		file := fileLike(kind)
		rules := configgen.Rules{Events: []string{"Stop", file.Entries[0].Event, "Other", file.Entries[1].Event}}
		if kind == "jsonc" {
			rules.Flat, rules.Comments, rules.Preset = true, true, `"version": 1`
		}
		before := configgen.JSON(r, rules)
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

// checkKept checks that after has every byte of before, in the same order.
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

func TestRandomTOML(t *testing.T) {
	file := fileLike("toml")
	configgen.Each(t, 500, func(t *testing.T, r *rand.Rand) {
		t.Helper()
		before := configgen.TOML(r, "PreToolUse", "PostToolUse", "Stop")
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
		back, err := RemoveTrust(trusted, []setup.TrustRecord{record("sha256:2")})
		if err == nil {
			back, err = Remove(file, back, made)
		}
		// An inline table "state" stays, empty.
		back = bytes.Replace(back, []byte(", state = {} }"), []byte(" }"), 1)
		if err != nil || string(back) != before || t.Failed() {
			t.Fatalf("%v\nbefore\n%s\nafter\n%s\ntrusted\n%s\nremoved\n%s", err, before, after, trusted, back)
		}
	})
}
