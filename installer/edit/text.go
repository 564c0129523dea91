package edit

import (
	"bytes"
	"encoding/json"
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
	var given []string
	for _, m := range members {
		if m != "" {
			given = append(given, m)
		}
	}
	return "{" + strings.Join(given, ",") + "}"
}
