package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wsi/internal/refserver"
)

// asProgram is the environment variable that makes the test binary run the program.
const asProgram = "REFSERVER_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// start returns a session of the SDK's client with a new process, and a function that makes a call. It returns the result
// and the token in its _meta, or "".
func start(t *testing.T, args ...string) (*mcp.ClientSession, func(tool string, args map[string]any) (*mcp.CallToolResult, string)) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s, func(tool string, args map[string]any) (*mcp.CallToolResult, string) {
		t.Helper()
		r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
		if err != nil {
			t.Fatal(err)
		}
		token, _ := r.Meta["session_token"].(string)
		return r, token
	}
}

func end(t *testing.T, s *mcp.ClientSession) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Error("the program fails when its stdin ends:", err)
	}
}

// Each flag changes what a client sees.
func TestFlags(t *testing.T) {
	c, call := start(t, "-state", t.TempDir(), "-place", "text", "-readonly", "-lenient")
	defer end(t, c)
	if tools, err := c.ListTools(t.Context(), nil); err != nil || !tools.Tools[0].Annotations.ReadOnlyHint {
		t.Error("-readonly is not in the annotations", err)
	}
	r, inMeta := call("start_session", map[string]any{"workflow_id": "demo"})
	block, ok := r.Content[0].(*mcp.TextContent)
	if !ok || inMeta != "" {
		t.Fatal("the token is in _meta, or the text is missing")
	}
	var text struct {
		Token string `json:"session_token"`
	}
	if err := json.Unmarshal([]byte(block.Text), &text); err != nil || text.Token == "" {
		t.Error("the token is not where -place says", err)
	}
	for range 2 {
		if r, _ := call("get_activity", map[string]any{"session_token": text.Token}); r.IsError {
			t.Error("-lenient refuses an old token")
		}
	}

	rotating, call := start(t, "-state", t.TempDir(), "-rotate-on-error")
	defer end(t, rotating)
	_, first := call("start_session", map[string]any{"workflow_id": "demo"})
	if r, next := call("next_activity", map[string]any{"activity_id": "no-such-activity", "session_token": first}); !r.IsError || next == "" || next == first {
		t.Error("-rotate-on-error returns no new token")
	}
}

// The result of the last call arrives. Later calls fail. The server sees the arguments as they came over the wire.
func TestEndAfter(t *testing.T) {
	dir, args := t.TempDir(), json.RawMessage(`{"note":9007199254740993}`)
	c, call := start(t, "-state", dir, "-end-after", "3")
	if _, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "health_check", Arguments: args}); err != nil {
		t.Error(err)
	}
	_, token := call("start_session", map[string]any{"workflow_id": "demo"})
	if _, next := call("get_activity", map[string]any{"session_token": token}); next == "" {
		t.Error("the last call has no result")
	}
	if _, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "health_check"}); err == nil {
		t.Error("a later call succeeds")
	}
	direct := refserver.Open(t.TempDir(), refserver.Options{})
	if _, err := direct.Call("health_check", args); err != nil {
		t.Error(err)
	}
	want, _ := direct.Ledger()
	if calls, err := refserver.ReadLedger(dir); err != nil || len(calls) != 3 || calls[0].Digest != want[0].Digest {
		t.Error(calls, want, err)
	}
}
