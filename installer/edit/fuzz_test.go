package edit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tidwall/jsonc"

	"wsi/harnesses/setup"
)

// The corpus in testdata/fuzz has settings as written by hand, by harnesses and by other installers, and earlier failures.
// make fuzz searches for more.

// FuzzJSON checks that a file with wsi's entries parses, has the entries, is not changed by a second run, and after
// removal means the same as before.
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
	d := json.NewDecoder(bytes.NewReader(content))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
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
		back, err := RemoveTrust(after, []setup.TrustRecord{record("sha256:1")})
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
		was, err := setup.DecodeTOML([]byte(strings.TrimPrefix(string(before), bom)))
		if err != nil {
			t.Fatal(err)
		}
		is, err := setup.DecodeTOML([]byte(strings.TrimPrefix(string(back), bom)))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(normal(was), normal(is)) {
			t.Errorf("before %q\nafter removal %q", before, back)
		}
	})
}

// FuzzTrust checks that any trust record is in the file once after SetTrust, that nothing else changed, and that
// RemoveTrust removes it.
func FuzzTrust(f *testing.F) {
	f.Fuzz(func(t *testing.T, before []byte, about, value string) {
		r := setup.TrustRecord{Table: []string{"hooks", "state", about}, Key: "trusted_hash", Value: value}
		after, err := SetTrust(before, r)
		if err != nil {
			return
		}
		if !utf8.ValidString(about + value) {
			t.Errorf("%q = %q is not a string", about, value)
		}
		if again, err := SetTrust(after, r); err != nil || string(again) != string(after) {
			t.Errorf("a second time: %v\n%s", err, again)
		}
		was, is := trusted(t, before, about), trusted(t, after, about)
		if is.hash != value {
			t.Errorf("%q is trusted as %q", about, is.hash)
		}
		back, err := RemoveTrust(after, []setup.TrustRecord{r})
		if err != nil {
			t.Fatal(err)
		}
		left := trusted(t, back, about)
		if left.hash != nil {
			t.Errorf("%q is still trusted: %v", about, left.hash)
		}
		if !reflect.DeepEqual(was.others, is.others) || !reflect.DeepEqual(was.others, left.others) {
			t.Errorf("was\n%s\nis\n%s\nleft\n%s", before, after, back)
		}
	})
}

// trust returns the trust in one hook, and everything else in a file.
type trust struct {
	hash   any
	others any
}

func trusted(t *testing.T, content []byte, about string) (all trust) {
	t.Helper()
	tree, err := setup.DecodeTOML([]byte(strings.TrimPrefix(string(content), bom)))
	if err != nil {
		t.Fatalf("%v\n%s", err, content)
	}
	hooks, _ := tree["hooks"].(map[string]any)
	state, _ := hooks["state"].(map[string]any)
	entry, _ := state[about].(map[string]any)
	all.hash = entry["trusted_hash"]
	delete(entry, "trusted_hash")
	if len(entry) == 0 {
		delete(state, about)
	}
	if len(state) == 0 {
		delete(hooks, "state")
	}
	if len(hooks) == 0 {
		delete(tree, "hooks")
	}
	all.others = normal(tree)
	return all
}

func anyOurs(all []setup.Hook) bool {
	return slices.ContainsFunc(all, func(f setup.Hook) bool { return f.Ours })
}
