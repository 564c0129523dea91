package hook

import (
	"fmt"
	"strings"
	"testing"
)

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
