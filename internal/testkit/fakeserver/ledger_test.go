package fakeserver

import (
	"encoding/json"
	"testing"
	"time"
)

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
