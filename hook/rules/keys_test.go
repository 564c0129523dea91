package rules

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// choices returns what a text that is not valid may be, as the error says.
func choices(file, text string) (words []string) {
	_, errs := Parse("x", []byte(file))
	for _, e := range errs {
		if strings.Contains(e.What, text) {
			for _, word := range strings.FieldsFunc(e.Write, func(r rune) bool { return r == ' ' || r == ',' }) {
				if word, _, _ = strings.Cut(word, ":"); word != "or" {
					words = append(words, word)
				}
			}
		}
	}
	return words
}

// The keys of a rule file, and the words that a value may be, are in users' files.
func TestWireNamesOfRules(t *testing.T) {
	const odd, file = "zzzzzzzzzzzzzzzz", "../../cmd/wsi/testdata/wirenames/rules.txt"
	var lines, paths, names []string
	var walk func(table reflect.Type, path string, within func(string) string)
	walk = func(table reflect.Type, path string, within func(string) string) {
		for _, f := range keyed(table) {
			key, is, name, form := keyOf(f), f.Type, ".", "{%s}"
			names, lines = append(names, key), append(lines, path+key)
			for _, value := range []string{`"%s"`, `["%s"]`} {
				for _, word := range choices(within(key+" = "+fmt.Sprintf(value, odd)), odd) {
					lines = append(lines, path+key+" = "+word)
				}
			}
			if is.Kind() == reflect.Slice {
				is, name, form = is.Elem(), "[].", "[{%s}]"
			}
			if is.Kind() == reflect.Struct && len(keyed(is)) > 0 {
				walk(is, path+key+name, func(s string) string { return within(key + " = " + fmt.Sprintf(form, s)) })
			} else {
				paths = append(paths, path+key)
			}
		}
	}
	walk(reflect.TypeFor[document](), "", func(s string) string { return s })
	text := strings.Join(lines, "\n") + "\n"
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), text); diff != "" || err != nil {
		t.Errorf("%s: %v (-want +got):\n%s", file, err, diff)
	}
	const most = 34 // each key is one more thing to learn, to document and to check
	slices.Sort(names)
	if names = slices.Compact(names); len(paths) > most || len(names) > most || len(paths) < most-5 {
		t.Errorf("%d keys, %d words: %q", len(paths), len(names), paths)
	}
}

// keyed returns the fields of a type that have a key.
func keyed(t reflect.Type) []reflect.StructField {
	return slices.DeleteFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool { return f.Anonymous || keyOf(f) == "-" })
}
