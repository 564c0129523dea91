package fakeserver

import (
	"encoding/json"
	"regexp"
	"testing"
	"time"
)

type object = map[string]any

// asked makes a call and returns its ledger entry and the JSON in its result.
func asked(t *testing.T, s Server, agent, tool string, args map[string]any) (Entry, map[string]any) {
	t.Helper()
	raw, _ := json.Marshal(args)
	out, err := s.Call(agent, tool, raw)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	_ = json.Unmarshal([]byte(textOf(t, out)), &fields) // some results are not JSON
	l := s.Ledger()
	return l[len(l)-1], fields
}

func textOf(t *testing.T, result []byte) string {
	t.Helper()
	var r struct{ Content []struct{ Text string } }
	if err := json.Unmarshal(result, &r); err != nil {
		t.Fatal(err)
	}
	return r.Content[0].Text
}

// The rules of docs/decisions/0005, call by call.
func TestEntitled(t *testing.T) {
	r := newRig(t)
	last := func(want Verdict) {
		t.Helper()
		r.last(want)
	}
	top, _, _ := r.call("", "start_session", m{})
	top2, _, _ := r.call("sub", "get_workflow", m{"session_token": top})
	last(Right) // the parent's chain
	r.call("sub/deep", "get_workflow", m{"session_token": top})
	last(Stale)
	child, _, _ := r.call("", "start_session", m{"workflow_id": "w", "parent_session_token": top2})
	if l := r.w.Ledger(); l[len(l)-1].Parent != Right {
		t.Errorf("the parent's token was %s", l[len(l)-1].Parent)
	}
	r.call("", "get_workflow", m{"session_token": child})
	last(Foreign) // opened for another agent
	r.now = r.now.Add(time.Second)
	child2, _, _ := r.call("helper", "get_workflow", m{"session_token": child})
	last(Stale) // the opener's call has rotated it
	own, _, _ := r.call("lead", "start_session", m{"session_token": child2, "agent_id": "lead"})
	own2, _, _ := r.call("lead", "next_activity", m{"session_token": own, "activity_id": "a"})
	last(Right) // adoption starts a new chain
	r.call("lead", "get_workflow", m{"session_token": top2})
	last(Foreign)
	handle, _, _ := r.call("lead/worker", "yield_checkpoint", m{"session_token": own2, "checkpoint_id": "c"})
	last(Right)
	r.call("other", "present_checkpoint", m{"checkpoint_handle": handle})
	last(Foreign)
	r.call("", "present_checkpoint", m{"checkpoint_handle": handle})
	last(Right) // the handle of a worker below
	r.call("", "get_workflow", m{"session_token": "x" + top2})
	last(Unknown)
	r.call("", "get_workflow", m{})
	last(Missing)
	r.call("", "health_check", m{"session_token": top})
	last(NotNeeded)
}

// Of two results for one value, the one that changed something counts.
func TestParallelAnswers(t *testing.T) {
	r := newRig(t)
	top, _, _ := r.call("", "start_session", m{})
	read, _, _ := r.call("", "get_workflow", m{"session_token": top})
	moved, _, _ := r.call("", "next_activity", m{"session_token": top, "activity_id": "a"})
	r.call("", "get_trace", m{"session_token": top})
	r.call("", "get_trace", m{"session_token": read})
	r.last(Stale)
	r.call("", "get_trace", m{"session_token": moved})
	r.last(Right)
}

// The temporary id of a session that LocalRouter started stays.
func TestLocalRouterKeepsTemporaryIDs(t *testing.T) {
	now := time.Unix(1795187971, 0)
	l := NewLocalRouter(func() time.Time { return now })
	_, first := asked(t, l, "", "claude_start", object{"prompt": "x"})
	temp := first["sessionId"].(string)
	if !regexp.MustCompile(`^temp_1795187971000_[0-9a-z]{6}$`).MatchString(temp) {
		t.Fatal("no temporary id")
	}
	now = now.Add(time.Minute)
	_, status := asked(t, l, "", "claude_status", object{"sessionId": temp})
	question := status["pendingQuestion"].(map[string]any)["id"].(string)
	if _, list := asked(t, l, "", "claude_list", nil); len(list["sessions"].([]any)) != 3 {
		t.Error("a temporary id is listed")
	}
	for _, want := range []struct {
		question string
		verdict  Verdict
		failed   bool
	}{{question[1:], Unknown, true}, {"", Missing, true}, {question, Right, false}, {question, Stale, true}} {
		if e, _ := asked(t, l, "", "claude_respond", object{"sessionId": temp, "id": want.question}); e.Verdict != want.verdict || e.Failed != want.failed {
			t.Errorf("want %s: %+v", want.verdict, e)
		}
	}
	for _, failed := range []bool{false, true} {
		if e, _ := asked(t, l, "", "claude_interrupt", object{"sessionId": temp}); e.Verdict != Right || e.Failed != failed {
			t.Errorf("%+v", e)
		}
	}
}

// LocalRouter refuses an unknown id, except in claude_say, which makes it the id of a session.
func TestLocalRouterAdoptsSessions(t *testing.T) {
	l := NewLocalRouter(time.Now)
	_, list := asked(t, l, "", "claude_list", nil)
	id := list["sessions"].([]any)[0].(map[string]any)["sessionId"].(string)
	try := func(tool, id string, want Verdict, failed bool) {
		t.Helper()
		e, shown := asked(t, l, "", tool, object{"sessionId": id})
		if e.Verdict != want || e.Failed != failed || !failed && shown["sessionId"] != id {
			t.Errorf("%s: %+v %v", tool, e, shown)
		}
	}
	try("claude_status", id, Right, true) // the user's session, not started here
	try("claude_say", id, Right, false)
	try("claude_status", id, Right, false)
	try("claude_status", id[1:], Unknown, true)
	try("claude_say", id[1:], Unknown, false)
	try("claude_status", id[1:], Unknown, false)
	if _, list := asked(t, l, "", "claude_list", nil); len(list["sessions"].([]any)) != 4 {
		t.Error("an adopted session is not listed")
	}
}

func TestClawedAbode(t *testing.T) {
	c := NewClawedAbode()
	_, made := asked(t, c, "one", "create_session", map[string]any{})
	id := made["sessionId"]
	try := func(agent, tool string, id any, want Verdict, failed bool) {
		t.Helper()
		if e, _ := asked(t, c, agent, tool, map[string]any{"sessionId": id, "action": "delete"}); e.Verdict != want || e.Failed != failed {
			t.Errorf("want %s: %+v", want, e)
		}
	}
	try("one", "get_messages", id, Right, false)
	try("one", "get_session", "no-such-id", Unknown, true)
	try("two", "get_session", id, Foreign, false)
	out, err := c.Call("two", "list_sessions", []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	var list []struct{ ID string }
	if err := json.Unmarshal([]byte(textOf(t, out)), &list); err != nil || len(list) != 1 || list[0].ID != id {
		t.Errorf("listed: %v, %v", list, err)
	}
	try("two", "get_session", id, Right, false)
	try("two", "manage_session", id, Right, false)
	if tool := c.Ended(id.(string)); tool != "manage_session" {
		t.Errorf("ended by %q", tool)
	}
	try("two", "get_session", id, Stale, false) // a deleted session can be read
	if out, err := c.Call("two", "list_sessions", []byte("{}")); err != nil || textOf(t, out) != "[]" {
		t.Errorf("a deleted session is listed: %s, %v", out, err)
	}
}

func TestLeoLedger(t *testing.T) {
	l := NewLeo([]byte("key"))
	_, a := asked(t, l, "", "claude_code", map[string]any{})
	_, b := asked(t, l, "", "claude_code", map[string]any{})
	l.Restart()
	for _, x := range []struct {
		token any
		want  Verdict
	}{{"", Missing}, {b["resumeToken"], Foreign}, {"x", Unknown}, {a["resumeToken"], Right}} {
		e, _ := asked(t, l, "", "claude_code_reply", map[string]any{"sessionId": a["sessionId"], "diskResumeConfig": map[string]any{"resumeToken": x.token, "cwd": "/"}})
		if e.Verdict != x.want || e.Failed != (x.want != Right) || e.Argument != "diskResumeConfig.resumeToken" {
			t.Errorf("want %s: %+v", x.want, e)
		}
	}
	_, poll := asked(t, l, "", "claude_code_check", map[string]any{"action": "poll", "sessionId": a["sessionId"]})
	request := poll["actions"].([]any)[0].(map[string]any)["requestId"]
	if !regexp.MustCompile(`^toolu_[0-9a-z]+:Bash:[0-9]{13}:[0-9a-f]+$`).MatchString(request.(string)) {
		t.Errorf("request id %s", request)
	}
	asked(t, l, "", "claude_code_reply", map[string]any{"sessionId": b["sessionId"], "diskResumeConfig": map[string]any{"resumeToken": b["resumeToken"], "cwd": "/"}})
	for _, x := range []struct {
		session any
		want    Verdict
	}{{b["sessionId"], Foreign}, {a["sessionId"], Right}, {a["sessionId"], Stale}} {
		if e, _ := asked(t, l, "", "claude_code_check", map[string]any{"action": "respond_permission", "sessionId": x.session, "requestId": request, "decision": "allow"}); e.Verdict != x.want || e.Failed != (x.want != Right) {
			t.Errorf("want %s: %+v", x.want, e)
		}
	}
}

func TestIndexLedger(t *testing.T) {
	x := NewIndex()
	_, top := asked(t, x, "", "start_session", map[string]any{})
	_, child := asked(t, x, "", "dispatch_child", top)
	for _, c := range []struct {
		agent string
		args  map[string]any
		want  Verdict
	}{{"", top, Right}, {"", child, Foreign}, {"worker", top, Right}, {"worker", child, Right}, {"worker", top, Foreign}, {"", nil, Missing}} {
		if e, _ := asked(t, x, c.agent, "get_workflow", c.args); e.Verdict != c.want {
			t.Errorf("want %s: %+v", c.want, e)
		}
	}
	point := map[string]any{"session_index": child["session_index"], "checkpoint_id": "gate"}
	asked(t, x, "worker", "yield_checkpoint", point)
	if e, _ := asked(t, x, "worker", "get_activity", child); !e.Failed {
		t.Error("not gated")
	}
	asked(t, x, "worker", "respond_checkpoint", child)
	if e, _ := asked(t, x, "worker", "get_activity", child); e.Failed {
		t.Error("still gated")
	}
}
