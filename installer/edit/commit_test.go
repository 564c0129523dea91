package edit

import "testing"

// A change with another result than the intended one is not made.
func TestCommitVerifies(t *testing.T) {
	d, err := parse([]byte("{\"a\": 1} "), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ changed, want string }{
		{`{"a": 2}`, `{"a": 3}`}, {`{"a": 1e1}`, `{"a": 10}`}, {`{"a": 2`, `{"a": 2}`}, {`{"a": 2}`, `{"a": 2`}, {`{"a": 2} 3`, `{"a": 2}`},
	} {
		if err := d.commit([]byte(c.changed), []byte(c.want), nil); err == nil || string(d.bytes()) != "{\"a\": 1} " {
			t.Errorf("%s for %s: %v, now %s", c.changed, c.want, err, d.bytes())
		}
	}
	if err := d.commit([]byte(`{"b":0, "a":2}`), []byte(`{"a": 2, "b":0 }`), nil); err != nil || string(d.bytes()) != `{"b":0, "a":2}` {
		t.Errorf("%v, now %s", err, d.bytes())
	}
}

func TestTOMLCommitVerifies(t *testing.T) {
	d, err := openDocument([]byte("a = 1\nx = nan\n"))
	if err != nil {
		t.Fatal(err)
	}
	intend := func(tree map[string]any) { tree["a"] = int64(2) }
	for _, changed := range []string{"a = 3\nx = nan\n", "a = 2\n", "a = 2\nx = nan\ny = 1\n", "a = 2.0\nx = nan\n", "a = 2\na = 2\n"} {
		if err := d.commit([]byte(changed), intend); err == nil || string(d.bytes()) != "a = 1\nx = nan\n" {
			t.Errorf("%q: %v, now %q", changed, err, d.bytes())
		}
	}
	if err := d.commit([]byte("x = nan # c\na = 2\n"), intend); err != nil {
		t.Error(err)
	}
}
