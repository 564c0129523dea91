package rules

import (
	"bytes"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	gofmt "go/format"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"wsi/hook/carry"
	"wsi/internal/plainfile"
)

// BuiltinFile is the rule file of the built-in rules.
//
//go:embed builtin.toml
var BuiltinFile []byte

var update = flag.Bool("update", false, "write the built-in rules as Go")

// asWritten compares sets but for where they were written.
var asWritten = cmp.Options{cmpopts.IgnoreFields(Rule{}, "Origin"), cmpopts.EquateEmpty()}

func TestBuiltinIsItsFile(t *testing.T) {
	const file = "builtin_values.go"
	want, errs := Parse("builtin.toml", BuiltinFile)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	for i := range want.Rules {
		want.Rules[i].Origin = Origin{}
	}
	source, err := gofmt.Source([]byte("// Code generated from builtin.toml by go test ./hook/rules -update; DO NOT EDIT.\n\n" +
		"package rules\n\nimport \"wsi/hook/carry\"\n\nvar builtin = Set" + literal(reflect.ValueOf(want)) + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, source, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if kept, err := os.ReadFile(file); err != nil || !bytes.Equal(kept, source) {
		t.Errorf("%s is not builtin.toml (%v); run go test ./hook/rules -update", file, err)
	}
	if diff := cmp.Diff(want, Builtin(), asWritten); diff != "" {
		t.Errorf("(-file +program):\n%s", diff)
	}
}

// literal returns the Go literal of a value without its type and without zero fields. The rules, and the fields of a rule,
// have their own lines.
func literal(v reflect.Value) string {
	var parts []string
	switch v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			parts = append(parts, literal(v.Index(i)))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.Kind() == reflect.Slice && f.Len() > 0 || f.Kind() != reflect.Slice && !f.IsZero() {
				typ := ""
				if f.Kind() == reflect.Slice || f.Kind() == reflect.Struct {
					typ = strings.ReplaceAll(f.Type().String(), "rules.", "")
				}
				parts = append(parts, v.Type().Field(i).Name+": "+typ+literal(f))
			}
		}
	default:
		return fmt.Sprintf("%#v", v.Interface())
	}
	if t := v.Type(); t == reflect.TypeFor[carry.Rule]() || t == reflect.TypeFor[[]Rule]() {
		return "{\n" + strings.Join(parts, ",\n") + ",\n}"
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Each process reads the file as it is: what was edited a moment ago counts.
func TestLoad(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, FileName)
	const mine = "[[carry]]\nname = 'mine'\nservers = ['%s']\n[carry.capture]\nfrom = ['meta:x']\n"
	base, err := Load(file)
	if err != nil || len(base.Rules) == 0 {
		t.Fatalf("without a file: %v", err)
	}
	for _, server := range []string{"one", "two"} {
		write(t, file, fmt.Sprintf(mine, server))
		if s, err := Load(file); err != nil || s.For(server)[0].Name != "mine" || len(s.Rules) != len(base.Rules)+1 {
			t.Errorf("%v, %+v", err, s.For(server))
		}
	}
	write(t, file, "[[carry]]\nnam = 'mine'\n")
	var errs Errors
	if s, err := Load(file); !errors.As(err, &errs) || len(s.Rules) != len(base.Rules) {
		t.Errorf("a wrong file: %v, %d rules", err, len(s.Rules))
	}
	if s, err := Load(dir); err == nil || !strings.Contains(err.Error(), "not a regular file") || len(s.Rules) != len(base.Rules) {
		t.Errorf("a folder: %v", err)
	}
	write(t, file, strings.Repeat("#", maxFile+1))
	var large plainfile.TooLargeError
	if _, err := Load(file); !errors.As(err, &large) {
		t.Errorf("too large: %v", err)
	}
}

func TestUserFile(t *testing.T) {
	config := filepath.Join(t.TempDir(), "config")
	for _, c := range []struct{ xdg, home, want string }{
		{"", config, filepath.Join(config, ".config", "wsi", FileName)},
		{config, "", filepath.Join(config, "wsi", FileName)},
		{"relative", config, filepath.Join(config, ".config", "wsi", FileName)},
		{"", "", ""},
	} {
		if got := UserFile(func(string) string { return c.xdg }, c.home); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

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
