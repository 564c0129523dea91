package edit

import (
	"encoding/json"
	"testing"

	"wsi/harnesses/setup"
)

// A change with another result than the intended one is not made.
func TestCommitVerifies(t *testing.T) {
	set := func(v any) func(any) any { return func(any) any { return v } }
	for _, c := range []struct {
		format                setup.Format
		before, changed, path string
		want                  any
		made                  bool
	}{
		{setup.JSON, `{"a": 1} `, `{"a": 2}`, "a", json.Number("3"), false},
		{setup.JSON, `{"a": 1} `, `{"a": 1e1}`, "a", json.Number("10"), false},
		{setup.JSON, `{"a": 1} `, `{"a": 2`, "a", json.Number("2"), false},
		{setup.JSON, `{"a": 1} `, `{"a": 2, "b": 1}`, "a", json.Number("2"), false},
		{setup.JSON, `{"a": 1} `, `{"a": 2} 3`, "a", json.Number("2"), false},
		{setup.JSON, `{"a": 1} `, `{"a": 2, "hooks": {}}`, "a", json.Number("2"), false},
		{setup.JSON, `{"a": 1} `, `{"b":0, "a":1}`, "b", json.Number("0"), true},
		{setup.TOML, "a = 1\nx = nan\n", "a = 3\nx = nan\n", "a", int64(2), false},
		{setup.TOML, "a = 1\nx = nan\n", "a = 2\n", "a", int64(2), false},
		{setup.TOML, "a = 1\nx = nan\n", "a = 2\nx = nan\ny = 1\n", "a", int64(2), false},
		{setup.TOML, "a = 1\nx = nan\n", "a = 2.0\nx = nan\n", "a", int64(2), false},
		{setup.TOML, "a = 1\nx = nan\n", "a = 2\na = 2\n", "a", int64(2), false},
		{setup.TOML, "a = 1\nx = nan\n", "x = nan # c\na = 2\n", "a", int64(2), true},
	} {
		d, err := openDocument(c.format, []byte(c.before))
		if err != nil {
			t.Fatal(err)
		}
		d.commit([]byte(c.changed), []string{c.path}, set(c.want))
		if now := string(d.bytes()); (d.err == nil) != c.made || c.made && now != c.changed || !c.made && now != c.before {
			t.Errorf("%s for %v: %v, now %s", c.changed, c.want, d.err, now)
		}
		is := string(d.bytes())
		if d.commit([]byte(c.before), []string{c.path}, set(c.want)); !c.made && string(d.bytes()) != is {
			t.Errorf("a change after one that failed: %s", d.bytes())
		}
	}
}
