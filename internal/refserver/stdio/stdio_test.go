package stdio

import (
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wsi/internal/refserver"
)

// The official SDK's client runs a session with the server in each revision, and the token arrives.
func TestSDKClient(t *testing.T) {
	for _, revision := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) { sdkSession(t, revision) })
	}
}

func sdkSession(t *testing.T, revision string) {
	t.Helper()
	s := refserver.Open(t.TempDir(), refserver.Options{})
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- Serve(s, toServer, fromServer) }()
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.IOTransport{Reader: toClient, Writer: fromClient}, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	if name := client.InitializeResult().ServerInfo.Name; name != refserver.Name {
		t.Errorf("the server's name is %s", name)
	}
	if err := client.Ping(t.Context(), nil); err != nil { // the client sends none in 2026-07-28
		t.Error(err)
	}
	tools, err := client.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) != len(refserver.Tools()) {
		t.Fatal(tools, err)
	}
	token := any(nil)
	for i, tool := range []string{"start_session", "get_workflow", "next_activity"} {
		args := map[string]any{"workflow_id": "demo"}
		if i > 0 {
			args = map[string]any{"session_token": token, "activity_id": "design"}
		}
		r, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
		if err != nil || r.IsError {
			t.Fatal(tool, err)
		}
		token = r.Meta["session_token"]
	}
	if _, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "no_such_tool"}); err == nil {
		t.Error("an unknown tool answers")
	}
	calls, err := s.Ledger()
	if err != nil || len(calls) != 3 || calls[0].Protocol != revision || calls[1].Verdict != refserver.Right || calls[2].Verdict != refserver.Right {
		t.Errorf("%+v %v", calls, err)
	}
	_ = fromClient.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// Invalid requests get the protocol's errors.
func TestOddMessages(t *testing.T) {
	for sent, want := range map[string]string{
		`{"jsonrpc":"2.0","id":"a","method":"ping"}`:                               `{"jsonrpc":"2.0","id":"a","result":{}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/list"}`:                       `-32601`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`:                   ``,
		`{"jsonrpc":"2.0","id":7,"result":{}}`:                                     ``,
		`nonsense`:                                                                 `-32700`,
		`[]`:                                                                       `-32600`,
		`{"id":1,"method":"tools/call","params":[]}`:                               `-32602`,
		`{"id":1,"method":"tools/call","params":{"name":"x"}}`:                     `-32602`,
		`{"id":1,"method":"initialize"}`:                                           `"protocolVersion":"2025-11-25"`,
		`{"id":1,"method":"initialize","params":{"protocolVersion":"x"}}`:          `"protocolVersion":"2025-11-25"`,
		`{"id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05"}}`: `"protocolVersion":"2024-11-05"`,
		"\n \n": ``,
	} {
		var out strings.Builder
		if err := Serve(refserver.Open(t.TempDir(), refserver.Options{}), strings.NewReader(sent), &out); err != nil {
			t.Error(sent, err)
		}
		if got := out.String(); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s is answered with %s", sent, got)
		}
	}
	endless := strings.NewReader(strings.Repeat("x", maxMessage+1))
	if err := Serve(refserver.Open(t.TempDir(), refserver.Options{}), endless, io.Discard); err == nil {
		t.Error("a message above the limit is read")
	}
}
