package mcpserver

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wsi/internal/refserver"
)

// The SDK's client runs a session in which the test passes the token on.
func TestSession(t *testing.T) {
	s := refserver.New(refserver.Options{Places: []refserver.Place{refserver.Meta, refserver.BlockMeta, refserver.Structured}})
	here, there := mcp.NewInMemoryTransports()
	if _, err := New(s, true).Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()

	tools, err := client.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) != len(refserver.Tools()) || !tools.Tools[0].Annotations.ReadOnlyHint {
		t.Fatal(tools, err)
	}
	call := func(tool string, args map[string]any) *mcp.CallToolResult {
		t.Helper()
		r, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	token := call("start_session", map[string]any{"workflow_id": "demo"}).Meta["session_token"]
	for range 3 {
		r := call("get_workflow", map[string]any{"session_token": token, "note": json.RawMessage(`{"n":9007199254740993}`)})
		next := r.Meta["session_token"]
		block, _ := r.Content[0].(*mcp.TextContent)
		structured, _ := r.StructuredContent.(map[string]any)
		if next == token || block.Meta["session_token"] != next || structured["session_token"] != next {
			t.Fatal("the token is not in every place, or not a new one")
		}
		token = next
	}
	if r := call("get_workflow", nil); !r.IsError || r.Meta["session_token"] != nil {
		t.Errorf("%+v", r)
	}
	calls, err := s.Ledger()
	if err != nil || len(calls) != 5 || calls[3].Verdict != refserver.Right || calls[4].Verdict != refserver.Missing {
		t.Errorf("%+v %v", calls, err)
	}
	if _, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "no_such_tool"}); err == nil {
		t.Error("an unknown tool answers")
	}
}

// The server sees the arguments as they came over the wire.
func TestArgumentsAreSeenRaw(t *testing.T) {
	digest := func(args string) string {
		s := refserver.New(refserver.Options{})
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

// The SDK would sort the members of decoded content.
func TestStructuredContentKeepsItsOrder(t *testing.T) {
	s := refserver.New(refserver.Options{Places: []refserver.Place{refserver.Structured}})
	r, err := answer(s, &mcp.CallToolParamsRaw{Name: "start_session", Arguments: json.RawMessage(`{"workflow_id":"demo"}`)})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(r)
	if err != nil || !strings.Contains(string(raw), `"structuredContent":{"workflow":"demo","session_token":"`) {
		t.Errorf("%d bytes, %v", len(raw), err)
	}
}
