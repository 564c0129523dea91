package codectest

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Shape compares the event that a simulator wrote with a recorded one: all members and the types of their values.
// It does not compare members below the paths in open, such as "tool_input".
func Shape(t *testing.T, recorded string, written []byte, open ...string) {
	t.Helper()
	want, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(shape(t, want, open), shape(t, written, open)); diff != "" {
		t.Errorf("the shape differs from %s (-recorded +written):\n%s", recorded, diff)
	}
}

func shape(t *testing.T, doc []byte, open []string) []string {
	t.Helper()
	var v any
	if err := json.Unmarshal(doc, &v); err != nil {
		t.Fatalf("%v: %s", err, doc)
	}
	var lines []string
	var walk func(path string, v any)
	walk = func(path string, v any) {
		if slices.Contains(open, path) {
			lines = append(lines, path)
			return
		}
		switch v := v.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				walk(strings.TrimPrefix(path+"."+key, "."), v[key])
			}
		case []any:
			for _, e := range v {
				walk(path+"[]", e)
			}
		default:
			lines = append(lines, fmt.Sprintf("%s %T", path, v))
		}
	}
	walk("", v)
	return slices.Compact(lines)
}
