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
	var walk func(t reflect.Type, path string)
	walk = func(table reflect.Type, path string) {
		for _, f := range keyed(table) {
			key, is := keyOf(f), f.Type
			if !slices.Contains(names, key) {
				names = append(names, key)
			}
			if is.Kind() == reflect.Slice {
				is = is.Elem()
			}
			if is.Kind() == reflect.Struct && len(keyed(is)) > 0 {
				walk(is, path+key+".")
			} else {
				paths = append(paths, path+key)
			}
		}
	}
	walk(reflect.TypeFor[document](), "")
	t.Logf("%d places, %d words", len(paths), len(names))
	if len(paths) > most || len(names) > most || len(paths) < most-5 {
		t.Errorf("%d keys, %d words: %q", len(paths), len(names), paths)
	}
}

// keyed returns the fields of a type that have a key.
func keyed(t reflect.Type) []reflect.StructField {
	return slices.DeleteFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool { return f.Anonymous || keyOf(f) == "-" })
}
