package hook

import (
	"strings"
	"testing"
)

// If the calling agent is not known, a call in a session with two chains gets neither value:
// the newest may be a sub-agent's.
func TestNobodySaysWhichAgentCalls(t *testing.T) {
	w := newWorld(t)
	event := func(kind, tool, rest string) string {
		return `{"session_id":"s","hook_event_name":"` + kind + `","tool_name":"mcp_workflow-server_` + tool + `","mcp_context":{"server_name":"workflow-server","tool_name":"` + tool + `"},` + rest + `}`
	}
	begins := func(value string) {
		w.run("capture", "gemini-cli", event("AfterTool", "start_session", `"tool_input":{},"tool_response":{"returnDisplay":"session_token: `+value+`"}`))
	}
	call := func(args string) string {
		return w.run("inject", "gemini-cli", event("BeforeTool", "get_activity", `"tool_input":`+args))
	}
	begins(token(1))
	if got := call(`{"session_token":""}`); !strings.Contains(got, token(1)) {
		t.Errorf("one chain: %q", got)
	}
	begins(token(2))
	for range 2 { // to ask changes nothing
		if got := call(`{"session_token":""}`); got != "" {
			t.Errorf("two chains: %q", got)
		}
	}
}
