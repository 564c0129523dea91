package twin

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Permit is Plexus's permission prompt tool: it allows what it is asked about, in JSON that the
// harness parses. tool may be named as listed, loopback.permit, or as a harness names it.
func Permit(tool string, args []byte) ([]byte, error) {
	if !strings.HasSuffix(strings.ReplaceAll(tool, ".", "_"), "loopback_permit") {
		return nil, fmt.Errorf("no tool %q", tool)
	}
	var in struct {
		Input json.RawMessage `json:"input"`
	}
	if err := json.Unmarshal(args, &in); err != nil {
		return nil, fmt.Errorf("arguments of %s: %w", tool, err)
	}
	return reply{text: map[string]any{"behavior": "allow", "updatedInput": in.Input}}.encode()
}

// Permitted reads, as the harness does, what has come back of Permit's text: pure JSON and nothing
// besides, else an error.
func Permitted(text string) (bool, error) {
	var v struct {
		Behavior string `json:"behavior"`
	}
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return false, fmt.Errorf("permission answer is not pure JSON: %w", err)
	}
	return v.Behavior == "allow", nil
}
