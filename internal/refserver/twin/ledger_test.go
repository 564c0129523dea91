package twin

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// asked is a call and what the ledger says of it and its answer.
func asked(t *testing.T, s Server, agent, tool string, args map[string]any) (Entry, map[string]any) {
	t.Helper()
	raw, _ := json.Marshal(args)
	out, err := s.Call(agent, tool, raw)
	if err != nil {
		t.Fatal(err)
	}
	var r struct{ Content []struct{ Text string } }
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	_ = json.Unmarshal([]byte(r.Content[0].Text), &fields) // some answers are lines
	l := s.Ledger()
	return l[len(l)-1], fields
}

// Docs/decisions/0005, call by call.
func TestEntitled(t *testing.T) {
	r := newRig(t)
	last := func(want Verdict) {
		t.Helper()
		r.last(want)
	}
	top, _, _ := r.call("", "start_session", m{})
	top2, _, _ := r.call("sub", "get_workflow", m{"session_token": top})
	last(Right) // none of its own: its parent's
	r.call("sub/deep", "get_workflow", m{"session_token": top})
	last(Stale)
	child, _, _ := r.call("", "start_session", m{"workflow_id": "w", "parent_session_token": top2})
	if l := r.w.Ledger(); l[len(l)-1].Parent != Right {
		t.Errorf("the parent's token was %s", l[len(l)-1].Parent)
	}
	r.call("", "get_workflow", m{"session_token": child})
	last(Foreign) // it is somebody else's
	r.now = r.now.Add(time.Second)
	child2, _, _ := r.call("helper", "get_workflow", m{"session_token": child})
	last(Stale) // the opener's call went on with it
	own, _, _ := r.call("lead", "start_session", m{"session_token": child2, "agent_id": "lead"})
	own2, _, _ := r.call("lead", "next_activity", m{"session_token": own, "activity_id": "a"})
	last(Right) // adoption opens a way of its own
	r.call("lead", "get_workflow", m{"session_token": top2})
	last(Foreign)
	handle, _, _ := r.call("lead/worker", "yield_checkpoint", m{"session_token": own2, "checkpoint_id": "c"})
	last(Right)
	r.call("other", "present_checkpoint", m{"checkpoint_handle": handle})
	last(Foreign)
	r.call("", "present_checkpoint", m{"checkpoint_handle": handle})
	last(Right) // a worker below has yielded it
	r.call("", "get_workflow", m{"session_token": "x" + top2})
	last(Unknown)
	r.call("", "get_workflow", m{})
	last(Missing)
	r.call("", "health_check", m{"session_token": top})
	last(NotNeeded)
}

// Of two answers to one value, that one counts which changed something.
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

func TestLocalRouterChangesItsIDs(t *testing.T) {
	now := time.Unix(1795187971, 0)
	l := NewLocalRouter(func() time.Time { return now })
	_, first := asked(t, l, "", "claude_say", map[string]any{"message": "x"})
	temp := first["sessionId"].(string)
	if !strings.HasPrefix(temp, "temp_") {
		t.Fatal("no temporary id")
	}
	if e, _ := asked(t, l, "", "claude_status", map[string]any{"sessionId": temp}); e.Verdict != Right || e.Failed {
		t.Errorf("%+v", e)
	}
	now = now.Add(10 * time.Second)
	if e, _ := asked(t, l, "", "claude_status", map[string]any{"sessionId": temp}); e.Verdict != Stale || !e.Failed {
		t.Errorf("after ten seconds: %+v", e)
	}
	_, list := asked(t, l, "", "claude_status", nil)
	id := list["sessions"].([]any)[0].(map[string]any)["sessionId"].(string)
	_, status := asked(t, l, "", "claude_get_status", map[string]any{"sessionId": id})
	input := status["pendingInputs"].([]any)[0].(map[string]any)["inputId"].(string)
	_, status = asked(t, l, "", "claude_status", map[string]any{"sessionId": id})
	if q := status["pendingQuestion"].(map[string]any)["id"]; q != input {
		t.Error("the two servers ask differently")
	}
	for _, want := range []struct {
		input   string
		verdict Verdict
		failed  bool
	}{{input[1:], Unknown, true}, {"", Missing, true}, {input, Right, false}, {input, Stale, true}} {
		if e, _ := asked(t, l, "", "claude_respond", map[string]any{"sessionId": id, "inputId": want.input}); e.Verdict != want.verdict || e.Failed != want.failed {
			t.Errorf("want %s: %+v", want.verdict, e)
		}
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
	_, list := asked(t, c, "two", "list_sessions", nil)
	if s := list["sessions"].([]any); len(s) != 1 || s[0].(map[string]any)["sessionId"] != id {
		t.Error("not listed")
	}
	try("two", "get_session", id, Right, false)
	try("two", "manage_session", id, Right, false)
	if tool := c.Ended(id.(string)); tool != "manage_session" {
		t.Errorf("ended by %q", tool)
	}
	try("two", "get_session", id, Stale, true)
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
		e, _ := asked(t, l, "", "claude_code_reply", map[string]any{"sessionId": a["sessionId"], "diskResumeConfig": map[string]any{"resumeToken": x.token}})
		if e.Verdict != x.want || e.Failed != (x.want != Right) || e.Argument != "diskResumeConfig.resumeToken" {
			t.Errorf("want %s: %+v", x.want, e)
		}
	}
	_, poll := asked(t, l, "", "claude_code_check", map[string]any{"action": "poll", "sessionId": a["sessionId"]})
	request := poll["actions"].([]any)[0].(map[string]any)["requestId"]
	for _, x := range []struct {
		session any
		want    Verdict
	}{{b["sessionId"], Foreign}, {a["sessionId"], Right}, {a["sessionId"], Stale}} {
		if e, _ := asked(t, l, "", "claude_code_check", map[string]any{"action": "respond_permission", "sessionId": x.session, "requestId": request}); e.Verdict != x.want || e.Failed != (x.want != Right) {
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

func TestPlexusDecidesOnce(t *testing.T) {
	p := NewPlexus()
	asked(t, p, "", "loopback.permit", map[string]any{"input": map[string]any{}})
	_, list := asked(t, p, "", "loopback.pending", nil)
	id := list["approvals"].([]any)[0]
	for _, want := range []Verdict{Right, Stale} {
		if e, _ := asked(t, p, "", "loopback.respond", id.(map[string]any)); e.Verdict != want || e.Failed != (want != Right) {
			t.Errorf("want %s: %+v", want, e)
		}
	}
}
