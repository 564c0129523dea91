package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
)

// The events are those of Claude Code 2.1.329, except that tool_response is the whole result, as in the
// specification. The bare programs can only find the token there.

const session = "6b26c1f4-8a55-4a35-9d1e-0f6f0a0f5c11"

// token returns the n-th token of a session: signed text as long as the tokens of the workflow-server.
func token(session string, n int) string {
	payload := fmt.Sprintf(`{"sid":%q,"wf":"work-package","act":"implementation-analysis","seq":%d,"ts":1763690000,"v":"3.4.0","agent":"orchestrator","cond":"","pad":%q}`, session, n, strings.Repeat("x", 60))
	return base64.RawURLEncoding.EncodeToString([]byte(payload)) + "." + strings.Repeat(fmt.Sprintf("%08x", n), 8)
}

// before returns an event of about size bytes for a call without a token.
func before(size int) []byte {
	return event("PreToolUse", session, "get_activity", `{"activity_id":"implementation-analysis","notes":`+filler(size-700)+`}`, "")
}

// after returns an event of about size bytes for a call with token n-1 and a result with token n. Event 0 opens the
// session.
func after(session string, n, size int) []byte {
	tool, args := "get_activity", fmt.Sprintf(`{"activity_id":"implementation-analysis","session_token":%q}`, token(session, n-1))
	if n == 0 {
		tool, args = "start_session", `{"workflow_id":"work-package"}`
	}
	result := fmt.Sprintf(`{"content":[{"type":"text","text":%s}],"_meta":{"session_token":%q}}`, filler(size-1500), token(session, n))
	return event("PostToolUse", session, tool, args, `,"tool_response":`+result+`,"duration_ms":7`)
}

func event(name, session, tool, args, more string) []byte {
	return fmt.Appendf(nil, `{"session_id":%q,"transcript_path":"/home/ada/.claude/projects/-home-ada-src/%s.jsonl","cwd":"/home/ada/src","prompt_id":"5f0e6a52-5c7c-4e0e-9a5f-3d2f6b8a7c10","permission_mode":"default","hook_event_name":%q,"tool_name":"mcp__workflow-server__%s","tool_input":%s%s,"tool_use_id":"toolu_01A","mcp_server":{"name":"workflow-server","source":"user"}}`+"\n",
		session, session, name, tool, args, more)
}

// filler returns a JSON string of about size bytes that looks like a result of a workflow server: prose, code and
// quoted JSON.
func filler(size int) string {
	const line = "- **step-3**: read `src/main.go`, then answer {\"step_id\": \"analyse\", \"output\": \"...\"}\n\n"
	text, err := json.Marshal(strings.Repeat(line, max(size, len(line))/(len(line)+8))) // 8 bytes of escapes a line
	if err != nil {
		panic(err) // cannot fail for a string
	}
	return string(text)
}
