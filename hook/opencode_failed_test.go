package hook

import (
	"strings"
	"testing"
)

// The text of a failure quotes the arguments, and does not count as a result.
func TestWhatAFailureQuotesIsNotKept(t *testing.T) {
	w := newWorld(t)
	event := func(kind, id, tool, rest string) string {
		return `{"event":"` + kind + `","sessionID":"s","rootID":"s","callID":"` + id + `","server":"workflow-server","tool":"workflow-server_` + tool + `",` + rest + `}`
	}
	good, bad := token(1), token(2)
	w.run("capture", "opencode", event("after", "1", "start_session", `"args":{},"result":{"content":[{"type":"text","text":"session_token: `+good+`"}]}`))
	w.run("capture", "opencode", event("failed", "2", "next_activity", `"args":{"session_token":"`+good+`"},"error":"no such token, this was sent:\nsession_token: `+bad+`\n"`))
	got := w.run("inject", "opencode", event("before", "3", "next_activity", `"args":{}`))
	if strings.Contains(got, bad) || !strings.Contains(got, good) {
		t.Errorf("got %s", got)
	}
}
