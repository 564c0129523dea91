package relay

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wsi/internal/refserver"
)

// A value of the form of the workflow-server's, of a session that was opened elsewhere.
var foreignToken = refserver.Seal([]byte("another key"), refserver.Payload{SID: "99999999-9999-4999-8999-999999999999", AID: "x", Seq: 1})

// serveDocs is a server of the official SDK that no rule is for. Some of its tools have the names of the
// workflow-server's; its SDK refuses arguments that a tool does not have.
func serveDocs() {
	type page struct {
		Path string `json:"path,omitempty"`
	}
	type role struct {
		Role  string `json:"role"`
		Token string `json:"session_token" jsonschema:"The AWS session token."`
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "docs", Version: "1.0.0"}, nil)
	text := func(s string) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
	}
	for _, name := range []string{"read_file", "get_resource", "get_skill", "discover"} {
		mcp.AddTool(server, &mcp.Tool{Name: name}, func(_ context.Context, _ *mcp.CallToolRequest, p page) (*mcp.CallToolResult, any, error) {
			return text("# README\nsession_token: " + strings.Repeat("x", 32) + "\nsession_token: " + foreignToken + "\n" + p.Path), nil, nil
		})
	}
	for _, name := range []string{"assume_role", "get_activity"} {
		mcp.AddTool(server, &mcp.Tool{Name: name}, func(_ context.Context, _ *mcp.CallToolRequest, r role) (*mcp.CallToolResult, any, error) {
			return text("token " + r.Token), nil, nil
		})
	}
	_ = server.Run(context.Background(), &mcp.StdioTransport{}) // its end is the client's
	os.Exit(0)
}

// A server gets rules by its name, or because its user said whose. In front of any other the relay changes
// nothing and puts nothing into a call, whatever its tools are called and its results say.
func TestAnUnrelatedServer(t *testing.T) {
	for name, listed := range map[string]bool{"the tools were listed": true, "the tools were not listed": false} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.opt.Server, w.opt.Command = "docs", []string{self(t), "as-docs-server"}
			c := w.connect()
			c.answer(c.request("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`))
			c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			if listed {
				list := c.answer(c.request("tools/list", `{}`))
				if !strings.Contains(list, `"The AWS session token."`) || strings.Contains(list, "Filled in automatically") || strings.Count(list, `"session_token"`) != 4 {
					t.Errorf("the list of tools was changed: %s", list)
				}
			}
			for range 2 {
				for _, tool := range []string{"read_file", "get_resource", "get_skill", "discover"} {
					if got := c.do(tool, `"path":"a"`, ``); !strings.Contains(got, "# README") || strings.Contains(got, `"isError":true`) {
						t.Errorf("%s: %s", tool, got)
					}
				}
				for _, tool := range []string{"assume_role", "get_activity"} {
					if got := c.do(tool, `"role":"admin","session_token":"auto"`, ``); !strings.Contains(got, `"token auto"`) {
						t.Errorf("%s: %s", tool, got)
					}
				}
			}
		})
	}
}

// The journal has the last call, too, although the relay ends with its answer.
func TestLastCallIsInTheJournal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.opt.Server = "memory"
	for range 20 {
		cmd, c := w.process()
		c.request("tools/call", `{"name":"list_workflows","arguments":{}}`)
		if err := errors.Join(c.in.Close(), cmd.Wait()); err != nil {
			t.Fatal(err)
		}
	}
	if all := w.journal(); len(all) != 20 {
		t.Errorf("the journal has %d of 20 calls", len(all))
	}
}

// A tool whose schema was seen and has no such argument is given none.
func TestAToolWithoutTheArgument(t *testing.T) {
	e := &engine{server: "workflow-server"}
	e.see([]byte(`{"tools":[{"name":"get_trace","inputSchema":{"type":"object","properties":{"limit":{"type":"number"}}}},
		{"name":"get_activity","inputSchema":{"type":"object","properties":{"session_token":{"type":"string"}}}},
		{"name":"get_skill","inputSchema":{"allOf":[{"$ref":"#/$defs/common"}]}}]}`))
	for tool, want := range map[string]bool{"get_trace": true, "get_activity": false, "get_skill": false} {
		if lacks := e.lacks(tool); lacks == nil || lacks("session_token") != want {
			t.Errorf("%s lacks the argument: want %v", tool, want)
		}
	}
	if e.lacks("next_activity") != nil {
		t.Error("something is known of a tool that was never listed")
	}
}
