package fakeserver

import (
	"strings"
	"testing"
)

func TestLeoResumeAfterRestart(t *testing.T) {
	l := NewLeo([]byte("key"))
	open := func() (id, token string) {
		_, s := asked(t, l, "", "claude_code", object{})
		if id, token = s["sessionId"].(string), s["resumeToken"].(string); len(token) != 43 {
			t.Fatalf("a token of %d characters", len(token))
		}
		return id, token
	}
	id, token := open()
	_, other := open()
	l.Restart()
	for _, c := range []struct{ token, cwd, want string }{
		{"", "/", "[PERMISSION_DENIED]: resumeToken is required"},
		{other, "/", "[PERMISSION_DENIED]: Invalid resumeToken"},
		{token[:42], "/", "[PERMISSION_DENIED]: Invalid resumeToken"},
		{token, "", "[INVALID_ARGUMENT]"},
		{token, "/", "running"},
		{token, "/", "[SESSION_BUSY]"},
	} {
		_, s := asked(t, l, "", "claude_code_reply", object{"sessionId": id, "diskResumeConfig": object{"resumeToken": c.token, "cwd": c.cwd}})
		if message, _ := s["error"].(string); !strings.Contains(message+s["status"].(string), c.want) {
			t.Errorf("want %s: %v", c.want, s)
		}
	}
	for _, secretless := range [][]byte{nil, {}} {
		if _, s := asked(t, NewLeo(secretless), "", "claude_code", object{}); s["resumeToken"] != nil {
			t.Error("there is a token without a secret")
		}
	}
}

// One session from start to end. A running session takes no reply, a permission lets a waiting session continue, and
// a cancelled session stays cancelled.
func TestLeoSession(t *testing.T) {
	l := NewLeo([]byte("key"))
	_, s := asked(t, l, "", "claude_code", object{})
	id := s["sessionId"]
	check := func(args object, failed bool, want string) map[string]any {
		t.Helper()
		args["sessionId"] = id
		e, s := asked(t, l, "", "claude_code_check", args)
		message, _ := s["error"].(string)
		status, _ := s["status"].(string)
		if e.Failed != failed || (s["isError"] == true) != failed || !strings.Contains(message+status, want) {
			t.Errorf("%v: %+v %v", args, e, s)
		}
		return s
	}
	session := func(action string, id any, failed bool, sessions int, want string) {
		t.Helper()
		e, s := asked(t, l, "", "claude_code_session", object{"action": action, "sessionId": id})
		message, _ := s["message"].(string)
		if e.Failed != failed || (s["isError"] == true) != failed || len(s["sessions"].([]any)) != sessions || !strings.Contains(message, want) {
			t.Errorf("%s: %+v %v", action, e, s)
		}
	}
	reply := func(want string) {
		t.Helper()
		if _, s := asked(t, l, "", "claude_code_reply", object{"sessionId": id}); !strings.Contains(s["error"].(string), want) {
			t.Errorf("want %s: %v", want, s)
		}
	}
	reply("[SESSION_BUSY]")
	waits := check(object{"action": "poll"}, false, "waiting_permission")["actions"].([]any)[0].(map[string]any)["requestId"]
	reply("[SESSION_BUSY]")
	check(object{"action": "respond_permission"}, true, "[INVALID_ARGUMENT]")
	check(object{"action": "respond_permission", "requestId": waits, "decision": "perhaps"}, true, "[INVALID_ARGUMENT]")
	check(object{"action": "respond_permission", "requestId": "x", "decision": "deny"}, true, "[PERMISSION_REQUEST_NOT_FOUND]")
	check(object{"action": "respond_permission", "requestId": waits, "decision": "allow_for_session"}, false, "running")
	check(object{"action": "poll"}, false, "idle")
	session("cancel", id, true, 1, "[INVALID_ARGUMENT]")
	if e, s := asked(t, l, "", "claude_code_reply", object{"sessionId": id}); e.Failed || s["status"] != "running" {
		t.Errorf("an idle session: %v", s)
	}
	session("get", id, false, 1, "")
	session("list", nil, false, 1, "")
	session("cancel", nil, true, 0, "[INVALID_ARGUMENT]")
	session("get", "no such session", true, 0, "[SESSION_NOT_FOUND]")
	session("cancel", id, false, 1, "done")
	if by := l.Ended(id.(string)); by != "claude_code_session" {
		t.Errorf("ended by %q", by)
	}
	reply("[CANCELLED]")
	check(object{"action": "poll"}, false, "cancelled")
	id = "no such session"
	check(object{"action": "poll"}, true, "[SESSION_NOT_FOUND]")
}
