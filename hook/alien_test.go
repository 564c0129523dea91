package hook

import (
	"fmt"
	"strings"
	"testing"
)

// Two rules about one argument: an alias that one of them knows is not refused by the other, whichever is
// asked first and wherever their values are kept.
func TestAliasOfAnotherRule(t *testing.T) {
	const rule = `
[[carry]]
name = "%[1]s"
servers = ["tickets"]
scope = "%[2]s"
[carry.capture]
from = ["json:handle"]
tools = ["%[1]s"]
each = true
[[carry.repair]]
arguments = ["handle"]
mode = "distance"
max = 2
margin = 12
[carry.alias]
mode = "on"
`
	for _, scope := range []string{"session", "user"} {
		w := newWorld(t)
		w.rulesFile(fmt.Sprintf(rule, "make", "session") + fmt.Sprintf(rule, "find", scope))
		comment := func(handle string) string {
			return w.as("inject", "claude-code", "tickets", `{"session_id":"s","hook_event_name":"PreToolUse","tool_use_id":"p","tool_name":"mcp__tickets__comment","tool_input":{"handle":"`+handle+`"}}`)
		}
		for i, tool := range []string{"make", "find"} {
			got := w.as("capture", "claude-code", "tickets", fmt.Sprintf(`{"session_id":"s","hook_event_name":"PostToolUse","tool_use_id":"c%d","tool_name":"mcp__tickets__%s","tool_input":{},"tool_response":[{"type":"text","text":"{\"handle\":\"%s\"}"}]}`, i, tool, handle(i)))
			at := strings.Index(got, "wsi:")
			if at < 0 {
				t.Fatalf("%s: %s", tool, got)
			}
			if got := comment(got[at : at+13]); !strings.Contains(got, handle(i)) || strings.Contains(got, "deny") {
				t.Errorf("%s, scope %s: %s", tool, scope, got)
			}
		}
		for _, unknown := range []string{"wsi:b8bd-3k7q", "wsi:0000-0000"} {
			if got := comment(unknown); !strings.Contains(got, `"deny"`) {
				t.Errorf("%s: %s", unknown, got)
			}
		}
	}
}
