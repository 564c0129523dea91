package rules

import (
	"bytes"
	_ "embed"
	"flag"
	"fmt"
	gofmt "go/format"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"wsi/hook/carry"
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
	if err := errs.Err(); err != nil {
		t.Fatal(err)
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
