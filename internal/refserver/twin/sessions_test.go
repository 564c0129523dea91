package twin

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func text(t *testing.T, result []byte, err error) (text string, failed bool) {
	t.Helper()
	var r struct {
		Error   bool                    `json:"isError"`
		Content []struct{ Text string } `json:"content"`
	}
	if err != nil || json.Unmarshal(result, &r) != nil {
		t.Fatalf("%s: %v", result, err)
	}
	return r.Content[0].Text, r.Error
}

func TestLocalRouterForgetsTemporaryIDs(t *testing.T) {
	now := time.Unix(1_795_000_000, 0)
	l := NewLocalRouter(func() time.Time { return now })
	call := func(tool, args string) (string, bool) {
		result, err := l.Call(tool, []byte(args))
		return text(t, result, err)
	}
	said, _ := call("claude_say", `{"message":"x"}`)
	var s struct{ SessionID string }
	if err := json.Unmarshal([]byte(said), &s); err != nil || !strings.HasPrefix(s.SessionID, "temp_") {
		t.Fatalf("%s: %v", said, err)
	}
	temporary := `{"sessionId":"` + s.SessionID + `"}`
	if _, failed := call("claude_status", temporary); failed {
		t.Error("a temporary id does not live")
	}
	now = now.Add(temporaryFor)
	if _, failed := call("claude_status", temporary); !failed {
		t.Error("a temporary id lives on")
	}
	listed, _ := call("claude_status", `{}`)
	if strings.Contains(listed, "temp_") || !strings.Contains(listed, `{"sessions":[{"sessionId":"`) {
		t.Errorf("listed are %s", listed)
	}
}

func TestClawedAbodeEndsWhatItIsTold(t *testing.T) {
	c := NewClawedAbode()
	call := func(tool, args string) (string, bool) {
		result, err := c.Call(tool, []byte(args))
		return text(t, result, err)
	}
	var ids []string
	for range 2 {
		said, _ := call("create_session", `{}`)
		ids = append(ids, strings.Split(said, `"`)[3])
	}
	if _, failed := call("interrupt_session", `{"sessionId":"`+ids[0]+`"}`); failed || c.Ended(ids[0]) == "" || c.Ended(ids[1]) != "" {
		t.Errorf("ended: %q, %q", c.Ended(ids[0]), c.Ended(ids[1]))
	}
	if _, failed := call("get_session", `{"sessionId":"x"}`); !failed {
		t.Error("an unknown session was found")
	}
	if _, err := c.Call("eat", []byte(`{}`)); err == nil {
		t.Error("any tool will do")
	}
}
