package hook

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

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
