package rules

import (
	"reflect"
	"slices"
	"testing"
)

// Each key is one more thing to learn, to document and to check.
func TestFewKeys(t *testing.T) {
	const most = 34
	var paths, names []string
	r := newReader("", nil)
	var walk func(t reflect.Type, path string)
	walk = func(table reflect.Type, path string) {
		for _, m := range r.membersOf(table) {
			if !slices.Contains(names, m.key) {
				names = append(names, m.key)
			}
			if r.membersOf(m.is) != nil {
				walk(m.is, path+m.key+".")
			} else {
				paths = append(paths, path+m.key)
			}
		}
	}
	walk(reflect.TypeFor[document](), "")
	t.Logf("%d places, %d words", len(paths), len(names))
	if len(paths) > most || len(names) > most || len(paths) < most-5 {
		t.Errorf("%d keys, %d words: %q", len(paths), len(names), paths)
	}
}
