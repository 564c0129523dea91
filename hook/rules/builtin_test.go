package rules

import (
	"bytes"
	"flag"
	"fmt"
	gofmt "go/format"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

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
	values := strings.ReplaceAll(fmt.Sprintf("%#v", want), "rules.", "")
	source, err := gofmt.Source([]byte("// Code generated from builtin.toml by go test ./hook/rules -update; DO NOT EDIT.\n\n" +
		"package rules\n\nimport \"wsi/hook/carry\"\n\nvar builtin = " + strings.NewReplacer("}, ", "},\n", "[]carry.", "[]carry.").Replace(values) + "\n"))
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
