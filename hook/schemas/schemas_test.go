package schemas

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestRequired(t *testing.T) {
	for schema, want := range map[string][]string{
		`{"type":"object","properties":{"a":{},"b":{},"c":{}},"required":["a","b"]}`: {"a", "b"},
		`{"properties":{"a":{}},"required":["a","x",7]}`:                             {"a"},
		`{"properties":{"a":{}}}`:                                                    nil,
		`{"required":["a"]}`:                                                         nil,
		`{"properties":7,"required":{"a":1}}`:                                        nil,
		`7`:                                                                          nil,
		``:                                                                           nil,
		`{"properties":{"a":`:                                                        nil,
	} {
		if got := Required([]byte(schema)); !slices.Equal(got, want) {
			t.Errorf("%s: %q", schema, got)
		}
	}
}

func TestKept(t *testing.T) {
	dir := t.TempDir()
	f := In(dir)
	if got := f.Read("codex", "my server", "get_new.thing"); got != nil {
		t.Errorf("before it was asked: %q", got)
	}
	schema := func(name string) []byte {
		return []byte(`{"properties":{"` + name + `":{}},"required":["` + name + `"]}`)
	}
	write := func(tools ...Tool) {
		t.Helper()
		if err := f.Write("codex", "my server", tools); err != nil {
			t.Fatal(err)
		}
	}
	write(Tool{"get_new.thing", schema("session_index")}, Tool{"odd \"name\"\n", schema("ä")}, Tool{"free", []byte(`{}`)})
	for tool, want := range map[string]string{"get_new.thing": "session_index", "get_new_thing": "session_index", "odd \"name\"\n": "ä", "free": "", "other": ""} {
		if got := f.Read("codex", "my_server", tool); strings.Join(got, " ") != want {
			t.Errorf("%q requires %q, want %q", tool, got, want)
		}
	}
	for _, other := range []string{"claude-code", "cursor"} {
		if got := f.Read(other, "my server", "get_new.thing"); got != nil {
			t.Errorf("the server of another harness requires %q", got)
		}
	}
	files, err := os.ReadDir(f.Dir)
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	path := filepath.Join(f.Dir, files[0].Name())
	was, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	write(Tool{"get_new.thing", schema("session_index")}, Tool{"odd \"name\"\n", schema("ä")})
	if now, err := os.Stat(path); err != nil || !os.SameFile(was, now) {
		t.Errorf("the same list was written again, %v", err)
	}
	write(Tool{"a", schema("b")})
	if got := f.Read("codex", "my server", "get_new.thing"); got != nil {
		t.Errorf("a tool that is gone requires %q", got)
	}
	write(Tool{strings.Repeat("x", maxFile), schema("b")})
	if got := f.Read("codex", "my server", "a"); !slices.Equal(got, []string{"b"}) {
		t.Errorf("after a list that is too large: %q", got)
	}
	write()
	write()
	if files, err := os.ReadDir(f.Dir); err != nil || len(files) > 0 {
		t.Errorf("without tools there are %v, %v", files, err)
	}
	if err := os.WriteFile(path, []byte(`{"a":["b"`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := f.Read("codex", "my server", "a"); got != nil {
		t.Errorf("a damaged file: %q", got)
	}
}
