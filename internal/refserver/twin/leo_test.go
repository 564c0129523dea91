package twin

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestLeoWantsTheTokenOfTheSessionAfterARestart(t *testing.T) {
	l := NewLeo([]byte("key"))
	open := func() (id, token string) {
		out, err := l.Call("", "claude_code", []byte(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		var v struct{ Content []struct{ Text string } }
		var s struct{ SessionID, ResumeToken string }
		if json.Unmarshal(out, &v) != nil || json.Unmarshal([]byte(v.Content[0].Text), &s) != nil || len(s.ResumeToken) != 43 {
			t.Fatalf("no session in %d bytes", len(out))
		}
		return s.SessionID, s.ResumeToken
	}
	id, token := open()
	_, other := open()
	l.Restart()
	for _, c := range []struct{ token, want string }{
		{"", "resumeToken is required"},
		{other, "Invalid resumeToken"},
		{token[:42], "Invalid resumeToken"},
		{token, `\"running\"`},
		{"", `\"running\"`},
	} {
		args, _ := json.Marshal(map[string]any{"sessionId": id, "diskResumeConfig": map[string]string{"resumeToken": c.token}})
		if out, err := l.Call("", "claude_code_reply", args); err != nil || !strings.Contains(string(out), c.want) {
			t.Errorf("want %s: %v", c.want, err)
		}
	}
}
