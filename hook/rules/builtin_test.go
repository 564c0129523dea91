package rules

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"wsi/hook/carry"
)

var update = flag.Bool("update", false, "write the compiled form of the built-in rules")

// asWritten compares sets but for where they were written.
var asWritten = cmp.Options{cmp.Comparer(carry.Pattern.Equal), cmpopts.IgnoreFields(Rule{}, "Origin"), cmpopts.EquateEmpty()}

func TestBuiltinIsItsFile(t *testing.T) {
	want, errs := Parse("builtin.toml", BuiltinFile)
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("builtin.rules", Encode(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(compiled, Encode(want)) {
		t.Error("builtin.rules is not builtin.toml compiled; run go test ./hook/rules -update")
	}
	got, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, asWritten); diff != "" {
		t.Errorf("compiled and read again (-file +compiled):\n%s", diff)
	}
}
