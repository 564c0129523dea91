package hook

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"wsi/hook/schemas"
	"wsi/internal/testkit/fakeserver"
)

// Ids of sessions: a typing error is repaired only where a session is read. A list shows those of sessions that were begun
// elsewhere: an object with them, or an array alone.
func TestSessionIDs(t *testing.T) {
	for _, c := range []struct {
		server, begin, list string
		far                 sessionServer
		reads, acts         []string
	}{
		{
			"localrouter", "claude_start", "claude_list",
			sessionServer{temporary: true},
			[]string{"claude_status"},
			[]string{"claude_interrupt", "claude_respond"},
		},
		{
			"clawed-abode", "create_session", "list_sessions",
			sessionServer{bare: true},
			[]string{"get_session", "get_messages", "get_message"},
			[]string{"send_prompt", "set_session_name", "manage_session", "interrupt_session"},
		},
		{"claude-code", "claude_code", "", sessionServer{}, []string{"claude_code_check"}, []string{"claude_code_reply", "claude_code_session"}},
	} {
		h := &host{world: newWorld(t), server: c.server, session: "s", call: c.far.call}
		var ids []string
		for range 3 {
			h.do("", c.begin, args{"prompt": "x"})
			ids = append(ids, h.shown("sessionId"))
		}
		for _, id := range ids {
			slip := id[:9] + id[10:]
			for _, tool := range c.reads {
				if !h.do("", tool, args{"sessionId": slip, "messageId": "x"}) || h.last["sessionId"] != id {
					t.Errorf("%s: %s was sent %v", c.server, tool, h.last)
				}
				if h.do("", tool, args{}) && h.last["sessionId"] != nil {
					t.Errorf("%s: %s was given an id", c.server, tool)
				}
			}
			for _, tool := range c.acts {
				if h.do("", tool, args{"sessionId": slip, "id": "x", "action": "get"}) || h.last["sessionId"] != slip {
					t.Errorf("%s: %s was sent %v", c.server, tool, h.last)
				}
			}
		}
		if c.list == "" {
			continue
		}
		h = &host{world: newWorld(t), server: c.server, session: "s", call: c.far.call}
		h.do("", c.list, args{})
		if ids = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`).FindAllString(h.text, -1); len(ids) != 3 {
			t.Fatalf("%s: %s", c.server, h.text)
		}
		for _, id := range ids {
			if h.do("", c.reads[0], args{"sessionId": id + "0"}); h.last["sessionId"] != id {
				t.Errorf("%s: was sent %v", c.server, h.last)
			}
		}
	}
}

// Six characters: put where they are missing and one is alive, never repaired.
func TestIndex(t *testing.T) {
	h := &host{world: newWorld(t), server: "workflow-server", session: "s", call: fakeserver.NewIndex().Call}
	if h.do("", "get_workflow", args{}) {
		t.Error("a value out of nothing")
	}
	if !h.do("", "start_session", args{}) {
		t.Fatal(h.text)
	}
	parent := h.shown("session_index")
	for range 3 {
		if !h.do("", "get_workflow", args{}) || h.last["session_index"] != parent || h.last["session_token"] != nil {
			t.Errorf("sent %v: %s", h.last, h.text)
		}
	}
	h.do("", "get_workflow", args{"session_index": parent})
	// The rule of the older version, with its token, looked at the same call.
	if j := h.journal(); j[len(j)-2].Why != "session_index is already there" || j[len(j)-1].Why != "already stored" {
		t.Errorf("of the rule that the call is about the journal says %q, %q", j[len(j)-2].Why, j[len(j)-1].Why)
	}
	if h.do("", "get_workflow", args{"session_index": parent[:5] + "A"}) && parent[5] != 'A' {
		t.Error("an index was repaired")
	}
	for _, placeholder := range []any{
		"", nil, "auto", "<session_index>", "{session_index}", "{{session_index}}", "${SESSION_INDEX}", "[session_index]", "session_index",
		"YOUR_SESSION_INDEX", "your-session-index", "undefined", "null", "None", "N/A", "current", "...", "…", parent[:3] + "...",
	} {
		if !h.do("", "get_workflow", args{"session_index": placeholder}) || h.last["session_index"] != parent {
			t.Errorf("%v: sent %v: %s", placeholder, h.last, h.text)
		}
		if j := h.journal(); j[len(j)-2].Did != "injected" {
			t.Errorf("%v: the journal says %s, %s", placeholder, j[len(j)-2].Did, j[len(j)-2].Why)
		}
	}
	for _, other := range []string{"7777...", "auto..."} {
		if h.do("", "get_workflow", args{"session_index": other}) && !strings.HasPrefix(parent, "7777") || !strings.Contains(h.answer, "pass the whole session_index") {
			t.Errorf("%s, the beginning of another index: sent %v: %s", other, h.last, h.answer)
		}
		if h.do("", "dispatch_child", args{"session_index": other}) {
			t.Errorf("%s: a child of %v", other, h.last)
		}
	}
}

// The workflow-server since 2026-05-18 returns a session_index and no session_token, and Claude Code shows
// hooks no _meta: the value comes from the transcript, or from the text where the server writes it there.
func TestIndexInClaudeCode(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		waits bool
	}{
		"in _meta alone":      {"Session started.", true},
		"in a line as well":   {"Session started.\nsession_index: AB2CD3", false},
		"in JSON as well":     {`{"session_index":"AB2CD3","workflow":"meta"}`, false},
		"in prose as well":    {"Your session_index is AB2CD3.", true},
		"in a list of others": {`{"sessions":[{"session_index":"ZZZZZZ"}]}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			main := filepath.Join(w.home, "s1.jsonl")
			appendTo(t, main, "{}\n")
			n := 0
			call := func(tool, args string) {
				n++
				id := fmt.Sprint("toolu_", n)
				w.run("capture", "claude-code", claudePost("s1", "", id, tool, main, args, fmt.Sprintf(`[{"type":"text","text":%q}]`, c.text)))
				appendTo(t, main, strings.ReplaceAll(claudeLine(id, "AB2CD3"), "session_token", "session_index"))
			}
			call("start_session", `{}`)
			for range 6 {
				got := w.run("inject", "claude-code", claudePre("s1", "", fmt.Sprint("toolu_", n+1), "get_activity", main))
				if !strings.Contains(got, `"session_index":"AB2CD3"`) || strings.Contains(got, "additionalContext") {
					t.Fatalf("call %d: %s (%+v)", n, got, w.last())
				}
				if e := w.last(); !c.waits && e.Waited > 0 {
					t.Errorf("call %d waited though the result shows the value: %+v", n, e)
				}
				call("get_activity", `{"session_index":"AB2CD3"}`)
			}
			typed := strings.Replace(claudePre("s1", "", "toolu_9", "get_activity", main), `"tool_input":{`, `"tool_input":{"session_index":"AB2CD3",`, 1)
			if got := w.run("inject", "claude-code", typed); got != "" {
				t.Errorf("a call that carries its value: %s", got)
			}
		})
	}
}

// A tool of tomorrow, and those that a rule does not name, are served where the server said that they need a value.
func TestToolThatNoRuleNames(t *testing.T) {
	h := &host{world: newWorld(t), server: "workflow-server", session: "s", call: fakeserver.NewIndex().Call}
	why := func() (last string) {
		for _, e := range h.journal() {
			if e.Verb == "inject" {
				last = e.Why
			}
		}
		return last
	}
	h.do("", "start_session", args{})
	own := h.shown("session_index")
	if h.do("", "get_new_thing", args{}) || why() != "no rule names this tool" {
		t.Errorf("of no known schema: sent %v (%s)", h.last, why())
	}
	if !h.do("", "get_new_thing", args{"session_index": "auto"}) || h.last["session_index"] != own {
		t.Errorf("a placeholder: sent %v: %s", h.last, h.text)
	}
	schema := []byte(`{"properties":{"session_index":{},"x":{}},"required":["session_index"]}`)
	free := []byte(`{"properties":{"session_index":{}}}`)
	tools := []schemas.Tool{{Name: "get_new_thing", Schema: schema}, {Name: "peek", Schema: free}, {Name: "delete_session", Schema: schema}}
	if err := schemas.In(h.env["WSI_STATE_DIR"]).Write("codex", "workflow-server", tools); err != nil {
		t.Fatal(err)
	}
	if !h.do("", "get_new_thing", args{"x": 1.0}) || h.last["session_index"] != own || h.last["x"] != 1.0 {
		t.Errorf("sent %v: %s (%s)", h.last, h.text, why())
	}
	if h.do("", "peek", args{}); h.last["session_index"] != nil || why() != "no rule names this tool" {
		t.Errorf("an argument that may be left out: sent %v (%s)", h.last, why())
	}
	if h.do("", "delete_session", args{}); h.last["session_index"] != nil {
		t.Errorf("a tool that destroys: sent %v", h.last)
	}
	if h.do("", "discover", args{}); h.last["session_index"] != nil || why() != "the tool takes no value" {
		t.Errorf("a tool that takes none: sent %v (%s)", h.last, why())
	}
	if !h.do("", "dispatch_child", args{"session_index": own}) {
		t.Fatal(h.text)
	}
	child := h.shown("session_index")
	if h.do("", "get_new_thing", args{}) || !strings.Contains(h.answer, "several sessions are open") {
		t.Errorf("two are open: sent %v: %s", h.last, h.answer)
	}
	if !h.do("", "peek", args{"session_index": child}) || h.do("", "get_new_thing", args{}) || !strings.Contains(h.answer, "("+own+", "+child+")") {
		t.Errorf("after a look at the child: sent %v: %s", h.last, h.answer)
	}
	for range 2 {
		h.do("", "get_new_thing", args{"session_index": own})
	}
	if !h.do("", "get_new_thing", args{}) || h.last["session_index"] != own {
		t.Errorf("after calls about its own: sent %v", h.last)
	}
}

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

func (w *world) as(verb, harness, server, event string) string {
	return w.with(Options{Verb: verb, Harness: harness, Servers: []string{server}}, event)
}

const ticketRule = `
[[carry]]
name = "ticket"
servers = ["tickets"]
scope = "user"
[carry.capture]
from = ["json:handle"]
tools = ["open_ticket", "comment"]
[[carry.inject]]
tools = ["comment"]
argument = "handle"
`

func handle(n int) string { return fmt.Sprintf("handle-%032d", n) }

// A tool that is known to be another server's is given no value, wherever the rule's values are kept.
func TestForeignToolGetsNothingThatSurvivesTheSession(t *testing.T) {
	for _, scope := range []string{"user", "session"} {
		w := newWorld(t)
		w.rulesFile(strings.Replace(ticketRule, `"user"`, `"`+scope+`"`, 1))
		post := func(kind, server, tool string, n int) {
			w.as("capture", "cursor", "tickets", fmt.Sprintf(`{"conversation_id":"s","hook_event_name":%q,%s"tool_name":%q,"tool_input":"{}",%q:"{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"handle\\\":\\\"%s\\\"}\"}]}"}`,
				kind, server, tool, map[bool]string{true: "result_json", false: "tool_output"}[kind == "afterMCPExecution"], handle(n)))
		}
		pre := func() string {
			return w.as("inject", "cursor", "tickets", `{"conversation_id":"s","hook_event_name":"preToolUse","tool_use_id":"p","tool_name":"MCP:comment","tool_input":{}}`)
		}
		post("afterMCPExecution", `"mcp_server_name":"tickets",`, "open_ticket", 1)
		if got := pre(); !strings.Contains(got, handle(1)) {
			t.Errorf("%s: %s", scope, got)
		}
		post("afterMCPExecution", `"mcp_server_name":"blog",`, "comment", 2)
		post("postToolUse", "", "MCP:comment", 2)
		if got := pre(); got != "{}\n" {
			t.Errorf("%s: another server was given a value: %s", scope, got)
		}
		if got := w.as("inject", "cursor", "tickets", `{"conversation_id":"t","hook_event_name":"preToolUse","tool_use_id":"p","tool_name":"MCP:comment","tool_input":{}}`); strings.Contains(got, handle(2)) {
			t.Errorf("%s: another server's value was kept: %s", scope, got)
		}
	}
}
