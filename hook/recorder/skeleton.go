package recorder

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// spoken are the members whose text tells what an event is, not what it is about.
// They are no map: every run of the hook would make it before main.
var spoken = []string{"hook_event_name", "tool_name", "mcp_server_name", "cursor_version", "type", "failure_type"}

// isWord reports whether a text looks like such a one.
func isWord(s string) bool {
	const most = 64
	return s != "" && len(s) <= most && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(" ._:/-", r))
	})
}

// Skeleton is a JSON document without what it says: of strings, numbers and nulls only the kind, and
// of a string its length. JSON inside of a string is taken apart as well. What is no JSON is told so.
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

// Bounds of what is kept of one event.
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
		for key, inner := range v {
			if len(kept) == maxMembers {
				break
			}
			if !isWord(key) {
				key = fmt.Sprintf("name (%d)", len(key))
			}
			kept[key] = bones(key, inner, depth+1)
		}
		return kept
	case []any:
		kept := []any{}
		for _, inner := range v[:min(len(v), 8)] {
			kept = append(kept, bones("", inner, depth+1))
		}
		return kept
	case string:
		if slices.Contains(spoken, name) && isWord(v) {
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
