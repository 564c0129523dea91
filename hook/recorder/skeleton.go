package recorder

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// recorded lists the members whose text is recorded, because it names the kind of an event. It is not a map,
// which would be built before main in every run of the hook.
var recorded = []string{"hook_event_name", "tool_name", "mcp_server_name", "cursor_version", "type", "failure_type"}

// isWord reports whether a text looks like a name.
func isWord(s string) bool {
	const most = 64
	return s != "" && len(s) <= most && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(" ._:/-", r))
	})
}

// Skeleton returns a JSON document without its values: of strings, numbers and nulls only the kind, and of a
// string its length. It decodes JSON inside of strings. A text that is not JSON becomes "no JSON".
func Skeleton(doc []byte) any {
	v, ok := decode(doc)
	if !ok {
		return fmt.Sprintf("no JSON (%d)", len(doc))
	}
	return bones("", v, 0)
}

func decode(doc []byte) (v any, ok bool) {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	if d.Decode(&v) != nil || d.More() {
		return nil, false
	}
	return v, true
}

// Limits for one event.
const (
	maxDepth   = 12
	maxMembers = 64
)

func bones(name string, v any, depth int) any {
	if depth > maxDepth {
		return "..."
	}
	switch v := v.(type) {
	case map[string]any:
		kept := map[string]any{}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if len(kept) == maxMembers {
				break
			}
			as := key
			if !isWord(key) {
				as = fmt.Sprintf("name (%d)", len(key))
			}
			kept[as] = bones(as, v[key], depth+1)
		}
		return kept
	case []any:
		kept := []any{}
		for _, inner := range v[:min(len(v), 8)] {
			kept = append(kept, bones("", inner, depth+1))
		}
		return kept
	case string:
		if slices.Contains(recorded, name) && isWord(v) {
			return v
		}
		if inner, ok := decode([]byte(v)); ok {
			switch inner.(type) {
			case map[string]any, []any:
				return map[string]any{"in a string": bones(name, inner, depth+1)}
			}
		}
		return fmt.Sprintf("string (%d)", len(v))
	case bool:
		return v
	case nil:
		return "null"
	}
	return "number"
}
