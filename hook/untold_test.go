package hook

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// With --no-session-persistence Claude Code names a transcript that it never writes (2.1.330). There is
// nothing to wait for, and a call that the server refused leaves the value as it was.
func TestWithoutATranscriptAnErrorChangesNothing(t *testing.T) {
	w := newWorld(t)
	missing := filepath.Join(w.home, "never-written.jsonl")
	w.run("capture", "claude-code", claudePost("s1", "", "toolu_0", "start_session", missing, `{}`, `[{"type":"text","text":"session_token: `+token(0)+`"}]`))
	for n := 1; n <= 12; n++ {
		id := fmt.Sprint("toolu_", n)
		got := w.run("inject", "claude-code", claudePre("s1", "", id, "get_activity", missing))
		newest := token((n - 1) - (n-1)/3)
		if !strings.Contains(got, newest) {
			t.Fatalf("call %d: %s (%+v)", n, got, w.last())
		}
		if e := w.last(); e.Waited > 200_000 {
			t.Errorf("call %d waited: %+v", n, e)
		}
		args := `{"session_token":"` + newest + `"}`
		if n%3 == 0 { // an ordinary error of the server's, which returns no value
			failed := strings.Replace(claudePost("s1", "", id, "get_activity", missing, args, `"x"`), "PostToolUse", "PostToolUseFailure", 1)
			w.run("capture", "claude-code", strings.Replace(failed, `"tool_response"`, `"error"`, 1))
			continue
		}
		w.run("capture", "claude-code", claudePost("s1", "", id, "get_activity", missing, args, `[{"type":"text","text":"session_token: `+token(n-n/3)+`"}]`))
	}
}
