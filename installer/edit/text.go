package edit

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// quote returns a JSON string without unnecessary escapes.
func quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	// A string always encodes.
	_ = e.Encode(s)
	return strings.TrimSuffix(b.String(), "\n")
}

// object returns a compact JSON object of the members that are not empty.
func object(members ...string) string {
	given := slices.DeleteFunc(members, func(m string) bool { return m == "" })
	return "{" + strings.Join(given, ",") + "}"
}
