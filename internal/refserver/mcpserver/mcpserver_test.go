package mcpserver

import (
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wsi/internal/refserver"
)

// The server sees the arguments as they came over the wire.
func TestArgumentsAreSeenRaw(t *testing.T) {
	digest := func(args string) string {
		s := refserver.Open(t.TempDir(), refserver.Options{})
		if _, err := answer(s, &mcp.CallToolParamsRaw{Name: "health_check", Arguments: json.RawMessage(args)}); err != nil {
			t.Fatal(err)
		}
		calls, err := s.Ledger()
		if err != nil {
			t.Fatal(err)
		}
		return calls[0].Digest
	}
	if digest(`{"n":9007199254740993}`) == digest(`{"n":9007199254740992}`) {
		t.Error("large numbers are rounded")
	}
}
