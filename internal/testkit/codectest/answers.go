package codectest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"wsi/harnesses"
)

// answers returns the codec's answers other than changed arguments: a denial and a note to the model, both with
// text.
func answers(can harnesses.Capabilities, text string) map[string][]byte {
	all := map[string][]byte{}
	if can.Deny != nil {
		all["deny"] = can.Deny(text)
	}
	if can.Tell != nil {
		all["tell"] = can.Tell(text)
	}
	return all
}

// Answers compares the codec's answers with testdata/answers.golden, byte for byte: a denial and a note to the model.
func Answers(t *testing.T, d harnesses.Dialect) {
	t.Helper()
	var got strings.Builder
	plain := answers(d.Capabilities, "say \"which\" one:\n\t<a> or é")
	for _, what := range slices.Sorted(maps.Keys(plain)) {
		fmt.Fprintf(&got, "%s: %s", what, plain[what])
	}
	compare(t, "testdata/answers.golden", got.String())
}
