package configgen

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/tidwall/jsonc"
)

// Every document is valid, and they differ.
func TestEveryDocumentIsValid(t *testing.T) {
	seen := map[string]bool{}
	Each(t, 500, func(t *testing.T, r *rand.Rand) {
		t.Helper()
		for _, rules := range []Rules{{}, {Comments: true, Flat: true, Bare: true}, {Lone: true, Typed: true}} {
			rules.Events = []string{"PreToolUse", "Stop"}
			text := JSON(r, rules)
			seen[text] = true
			plain := []byte(strings.TrimPrefix(text, BOM))
			if rules.Comments {
				plain = jsonc.ToJSON(plain)
			}
			if !json.Valid(plain) || !strings.Contains(text, Mark) {
				t.Errorf("%+v: %s", rules, text)
			}
		}
		text := TOML(r, "PreToolUse", "Stop")
		seen[text] = true
		var v map[string]any
		if err := toml.Unmarshal([]byte(strings.TrimPrefix(text, BOM)), &v); err != nil || !strings.Contains(text, Mark) {
			t.Errorf("%v:\n%s", err, text)
		}
	})
	if len(seen) < 1500 {
		t.Errorf("only %d different documents", len(seen))
	}
}
