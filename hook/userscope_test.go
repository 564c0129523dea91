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

// A value that outlives its session is used in the next one only if it is the only one, and never for another
// terminal's that is at work with its own.
func TestUserScopeTellsSessionsApart(t *testing.T) {
	w := newWorld(t)
	w.rulesFile(ticketRule)
	calls := 0
	post := func(session, tool, args string, n int) {
		calls++
		w.as("capture", "codex", "tickets", fmt.Sprintf(`{"session_id":%q,"hook_event_name":"PostToolUse","tool_use_id":"c%d","tool_name":"mcp__tickets__%s","tool_input":%s,"tool_response":{"content":[{"type":"text","text":"{\"handle\":\"%s\"}"}]}}`,
			session, calls, tool, args, handle(n)))
	}
	expect := func(session string, n int) {
		t.Helper()
		got := w.as("inject", "codex", "tickets", fmt.Sprintf(`{"session_id":%q,"hook_event_name":"PreToolUse","tool_use_id":"p","tool_name":"mcp__tickets__comment","tool_input":{}}`, session))
		if n == 0 && got != "" || n > 0 && !strings.Contains(got, handle(n)) {
			t.Errorf("%s was given %q, want %d", session, got, n)
		}
	}
	post("one", "open_ticket", "{}", 1)
	expect("one", 1)
	expect("later", 1)
	post("two", "open_ticket", "{}", 2)
	expect("one", 1)
	expect("two", 2)
	expect("later", 1)
	expect("newest of all", 0)
	post("one", "comment", `{"handle":"`+handle(1)+`"}`, 3)
	expect("one", 3)
	expect("two", 2)
	post("later", "comment", `{"handle":"`+handle(2)+`"}`, 4)
	expect("later", 4)
	expect("two", 4)
}
