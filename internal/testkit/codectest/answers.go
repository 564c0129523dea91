package codectest

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"wsi/harnesses"
)

// answers returns the codec's answers other than changed arguments: a denial and a note to the model, both with
// text, and the rewritten output, if there is an output.
func answers(can harnesses.Capabilities, text string, output []byte) map[string][]byte {
	all := map[string][]byte{}
	if can.Deny != nil {
		all["deny"] = can.Deny(text)
	}
	if can.Tell != nil {
		all["tell"] = can.Tell(text)
	}
	if can.Rewrite != nil && output != nil {
		all["rewrite"] = can.Rewrite(output)
	}
	return all
}

var value = regexp.MustCompile(`[A-Za-z0-9_-]{100,}(\.[0-9a-f]{64})?`)

// Answers compares the codec's answers with testdata/answers.golden, byte for byte: a denial, a note to the model,
// and each recorded result that contains a value, rewritten with an alias.
func Answers(t *testing.T, d harnesses.Dialect) {
	t.Helper()
	var got strings.Builder
	plain := answers(d.Capabilities, "say \"which\" one:\n\t<a> or é", nil)
	for _, what := range slices.Sorted(maps.Keys(plain)) {
		fmt.Fprintf(&got, "%s: %s", what, plain[what])
	}
	each(t, func(name string, event []byte) {
		ev, err := d.Codec.Read(event)
		if err != nil || !value.Match(ev.Output) {
			return
		}
		if ev.Kind != harnesses.After {
			t.Errorf("%s: an event of kind %q has an output", name, ev.Kind)
		}
		output := value.ReplaceAll(ev.Output, []byte("wsi:b8bd-3k3v"))
		fmt.Fprintf(&got, "%s: %s", name, answers(d.Capabilities, "", output)["rewrite"])
	})
	compare(t, "testdata/answers.golden", got.String())
}
