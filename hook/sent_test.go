package hook

import (
	"fmt"
	"testing"

	"wsi/hook/journal"
)

// sentForms are the events of a call in the form of each harness, in the members that were recorded: kind, id, tool, arguments and
// result. Cursor's are by its documentation.
var sentForms = map[string]struct{ before, after, kinds, result, prefix string }{
	"claude-code": {
		`{"session_id":"s","transcript_path":"","hook_event_name":%q,"tool_use_id":%q,"tool_name":%q,"tool_input":%s}`,
		`{"session_id":"s","transcript_path":"","hook_event_name":%q,"tool_use_id":%q,"tool_name":%q,"tool_input":%s,"tool_response":%s}`,
		"PreToolUse PostToolUse", `[{"type":"text","text":"session_token: %s"}]`, "mcp__workflow-server__",
	},
	"codex": {
		`{"session_id":"s","hook_event_name":%q,"tool_use_id":%q,"tool_name":%q,"tool_input":%s}`,
		`{"session_id":"s","hook_event_name":%q,"tool_use_id":%q,"tool_name":%q,"tool_input":%s,"tool_response":%s}`,
		"PreToolUse PostToolUse", `{"content":[{"type":"text","text":"session_token: %s"}]}`, "mcp__workflow_server__",
	},
	"cursor": {
		`{"conversation_id":"s","hook_event_name":%q,"tool_use_id":%q,"tool_name":%q,"tool_input":%s}`,
		`{"conversation_id":"s","hook_event_name":%q,"tool_use_id":%q,"tool_name":%q,"tool_input":%s,"tool_output":%s}`,
		"preToolUse postToolUse", `"{\"content\":[{\"type\":\"text\",\"text\":\"session_token: %s\"}]}"`, "MCP:",
	},
	"opencode": {
		`{"sessionID":"s","rootID":"s","server":"workflow-server","event":%q,"callID":%q,"tool":%q,"args":%s}`,
		`{"sessionID":"s","rootID":"s","server":"workflow-server","event":%q,"callID":%q,"tool":%q,"args":%s,"result":%s}`,
		"before after", `{"content":[{"type":"text","text":"session_token: %s"}]}`, "workflow-server_",
	},
}

// The event after a call has the arguments that were really sent: the journal says whether a stored value was among them.
func TestWhatWasSent(t *testing.T) {
	for harness, form := range sentForms {
		t.Run(harness, func(t *testing.T) {
			w := newWorld(t)
			var pre, post string
			if _, err := fmt.Sscan(form.kinds, &pre, &post); err != nil {
				t.Fatal(err)
			}
			before := func(id string) journal.Entry {
				w.run("inject", harness, fmt.Sprintf(form.before, pre, id, form.prefix+"get_activity", `{}`))
				return w.last()
			}
			after := func(id, tool, args string, n int) journal.Entry {
				w.run("capture", harness, fmt.Sprintf(form.after, post, id, form.prefix+tool, args, fmt.Sprintf(form.result, token(n))))
				return w.last()
			}
			if e := after("1", "get_activity", `{}`, 1); e.Sent != "" {
				t.Errorf("nothing was stored: %+v", e)
			}
			if e := after("2", "start_session", `{}`, 1); e.Sent != "" || e.Call == "" {
				t.Errorf("the tool takes no value: %+v", e)
			}
			for i, c := range []struct{ args, want string }{
				{`{"session_token":"` + token(1) + `"}`, journal.With},
				{`{}`, journal.Without},
				{`{"session_token":""}`, journal.Without},
				{`{"session_token":"` + token(1) + `x"}`, journal.Without}, // another hook has damaged it
				{`"text"`, ""},
			} {
				id := fmt.Sprint("call", i)
				put, e := before(id), after(id, "get_activity", c.args, i+2)
				if e.Sent != c.want || e.Call == "" || e.Call != put.Call || i == 0 && put.Did != "injected" {
					t.Errorf("sent %s: %+v, and before it %+v", c.args, e, put)
				}
			}
		})
	}
}
