package edit

import (
	"encoding/json"
	"testing"

	"wsi/harnesses/setup"
)

// A change with another result than the intended one is not made.
func TestCommitVerifies(t *testing.T) {
	d, err := openDocument(setup.JSON, []byte("{\"a\": 1} "))
	if err != nil {
		t.Fatal(err)
	}
	set := func(n string) func(any) any { return func(any) any { return json.Number(n) } }
	for _, c := range []struct{ changed, want string }{
		{`{"a": 2}`, "3"}, {`{"a": 1e1}`, "10"}, {`{"a": 2`, "2"}, {`{"a": 2, "b": 1}`, "2"}, {`{"a": 2} 3`, "2"}, {`{"a": 2, "hooks": {}}`, "2"},
	} {
		if err := d.commit([]byte(c.changed), []string{"a"}, set(c.want)); err == nil || string(d.bytes()) != "{\"a\": 1} " {
			t.Errorf("%s for %s: %v, now %s", c.changed, c.want, err, d.bytes())
		}
	}
	if err := d.commit([]byte(`{"b":0, "a":1}`), []string{"b"}, set("0")); err != nil || string(d.bytes()) != `{"b":0, "a":1}` {
		t.Errorf("%v, now %s", err, d.bytes())
	}
}

func TestTOMLCommitVerifies(t *testing.T) {
	d, err := openDocument(setup.TOML, []byte("a = 1\nx = nan\n"))
	if err != nil {
		t.Fatal(err)
	}
	two := func(any) any { return int64(2) }
	for _, changed := range []string{"a = 3\nx = nan\n", "a = 2\n", "a = 2\nx = nan\ny = 1\n", "a = 2.0\nx = nan\n", "a = 2\na = 2\n"} {
		if err := d.commit([]byte(changed), []string{"a"}, two); err == nil || string(d.bytes()) != "a = 1\nx = nan\n" {
			t.Errorf("%q: %v, now %q", changed, err, d.bytes())
		}
	}
	if err := d.commit([]byte("x = nan # c\na = 2\n"), []string{"a"}, two); err != nil {
		t.Error(err)
	}
}
