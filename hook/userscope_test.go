package hook

import (
	"fmt"
	"strings"
	"testing"
)

// What survives the session is found by another harness, and by a newer version of the same that names
// servers in another way.
func TestUserScopeOverHarnesses(t *testing.T) {
	w := newWorld(t)
	id, token := "11111111-2222-4333-8444-555555555555", strings.Repeat("t", 43)
	text := fmt.Sprintf(`[{"type":"text","text":"{\"sessionId\":\"%s\",\"resumeToken\":\"%s\"}"}]`, id, token)
	w.as("capture", "claude-code", "claude-code", `{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"mcp__claude-code__claude_code","tool_input":{},"tool_use_id":"t1","tool_response":`+text+`}`)
	rest := `"tool_use_id":"t2","tool_input":{"sessionId":"` + id + `","diskResumeConfig":{"resumeToken":""}}}`
	for _, c := range []struct{ harness, event string }{
		{"claude-code", `{"session_id":"s2","hook_event_name":"PreToolUse","tool_name":"mcp__claude-code__claude_code_reply",`},
		{"claude-code", `{"session_id":"s2","mcp_server":{"name":"claude-code"},"hook_event_name":"PreToolUse","tool_name":"mcp__claude-code__claude_code_reply",`},
		{"codex", `{"session_id":"s2","hook_event_name":"PreToolUse","tool_name":"mcp__claude_code__claude_code_reply",`},
		{"cursor", `{"conversation_id":"s2","hook_event_name":"preToolUse","tool_name":"MCP:claude_code_reply",`},
	} {
		if got := w.as("inject", c.harness, "claude-code", c.event+rest); !strings.Contains(got, token) {
			t.Errorf("%s was given nothing: %q, %+v", c.event, got, w.last())
		}
	}
	plugin := `{"session_id":"s2","mcp_server":{"name":"plugin:p:claude-code"},"hook_event_name":"PreToolUse","tool_name":"mcp__plugin_p_claude-code__claude_code_reply",`
	if got := w.as("inject", "claude-code", "claude-code", plugin+rest); got != "" {
		t.Errorf("another server of a like name was given %s", got)
	}
}
