package fakeserver

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

type m = map[string]any

// caller returns a function that makes a call and checks its verdict. It returns the value in _meta and the entry.
func caller(t *testing.T, s Server) func(want Verdict, agent, tool string, args m) (value string, e Entry) {
	t.Helper()
	return func(want Verdict, agent, tool string, args m) (string, Entry) {
		t.Helper()
		raw, _ := json.Marshal(args)
		out, err := s.Call(agent, tool, raw)
		if err != nil {
			t.Fatal(err)
		}
		var r struct {
			Meta struct {
				Token string `json:"session_token"`
				Index string `json:"session_index"`
			} `json:"_meta"`
			IsError bool
		}
		if err := json.Unmarshal(out, &r); err != nil {
			t.Fatal(err)
		}
		l := s.Ledger()
		e := l[len(l)-1]
		if e.Verdict != want || e.Failed != r.IsError {
			t.Errorf("%s of %s: %+v, error %v; want %s", tool, agent, e, r.IsError, want)
		}
		return r.Meta.Token + r.Meta.Index, e
	}
}

// workflow returns a server whose time is *now.
func workflow(now *time.Time) *Workflow {
	*now = time.Unix(1795187971, 0)
	return NewWorkflow([]byte("key"), func() time.Time { return *now })
}

// The rules of docs/decisions/0005, call by call.
func TestEntitled(t *testing.T) {
	var now time.Time
	call := caller(t, workflow(&now))
	top, _ := call(NotNeeded, "", "start_session", m{})
	top2, _ := call(Right, "sub", "get_workflow", m{"session_token": top}) // the parent's chain
	call(Stale, "sub/deep", "get_workflow", m{"session_token": top})
	child, opening := call(NotNeeded, "", "start_session", m{"workflow_id": "w", "parent_session_token": top2})
	if opening.Parent != Right {
		t.Errorf("the parent's token was %s", opening.Parent)
	}
	call(Foreign, "", "get_workflow", m{"session_token": child}) // opened for another agent
	now = now.Add(time.Second)
	child2, _ := call(Stale, "helper", "get_workflow", m{"session_token": child}) // the opener's call has rotated it
	own, _ := call(Stale, "lead", "start_session", m{"session_token": child2, "agent_id": "lead"})
	own2, _ := call(Right, "lead", "next_activity", m{"session_token": own, "activity_id": "a"}) // adoption starts a new chain
	call(Foreign, "lead", "get_workflow", m{"session_token": top2})
	handle, _ := call(Right, "lead/worker", "yield_checkpoint", m{"session_token": own2, "checkpoint_id": "c"})
	call(Foreign, "other", "present_checkpoint", m{"checkpoint_handle": handle})
	call(Right, "", "present_checkpoint", m{"checkpoint_handle": handle}) // the handle of a worker below
	call(Unknown, "", "get_workflow", m{"session_token": "x" + top2})
	call(Missing, "", "get_workflow", m{})
	call(NotNeeded, "", "health_check", m{"session_token": top})
}

// Of two results for one value, the one that changed something counts.
func TestParallelAnswers(t *testing.T) {
	var now time.Time
	call := caller(t, workflow(&now))
	top, _ := call(NotNeeded, "", "start_session", m{})
	read, _ := call(Right, "", "get_workflow", m{"session_token": top})
	moved, _ := call(Stale, "", "next_activity", m{"session_token": top, "activity_id": "a"})
	call(Stale, "", "get_trace", m{"session_token": top})
	call(Stale, "", "get_trace", m{"session_token": read})
	call(Right, "", "get_trace", m{"session_token": moved})
}

func TestIndex(t *testing.T) {
	call := caller(t, NewIndex())
	fails := func(want Verdict, tool string, args m) {
		t.Helper()
		if _, e := call(want, "", tool, args); !e.Failed {
			t.Errorf("%s accepts %v", tool, args)
		}
	}
	fails(NotNeeded, "start_session", m{"session_token": "x"})
	top, _ := call(NotNeeded, "", "start_session", m{})
	child, _ := call(Right, "", "dispatch_child", m{"session_index": top})
	if len(child) != 6 || child == top {
		t.Errorf("child %q of %q", child, top)
	}
	if got, e := call(Right, "", "get_workflow", m{"session_token": "x", "session_index": top}); e.Failed || got != top {
		t.Errorf("got %q, want %q", got, top)
	}
	fails(Right, "dispatch_child", m{"session_index": top, "unknown": 1})
	fails(Unknown, "dispatch_child", m{"session_index": "auto"})
	fails(Missing, "dispatch_child", m{})
	first, _ := call(NotNeeded, "", "start_session", m{"planning_folder": "/plans/x"})
	again, e := call(NotNeeded, "", "start_session", m{"planning_folder": "/plans/x"})
	if e.Failed || again != first || first == top {
		t.Errorf("a planning folder's session is %q, then %q", first, again)
	}
	if _, e := call(NotNeeded, "", "peek", m{}); e.Failed {
		t.Error("peek requires an index")
	}
	if lower := strings.ToLower(top); lower != top {
		fails(Unknown, "get_workflow", m{"session_index": lower})
	}
}

func TestIndexLedger(t *testing.T) {
	call := caller(t, NewIndex())
	opened, _ := call(NotNeeded, "", "start_session", m{})
	top := m{"session_index": opened}
	dispatched, _ := call(Right, "", "dispatch_child", top)
	child := m{"session_index": dispatched}
	call(Right, "", "get_workflow", top)
	call(Foreign, "", "get_workflow", child)
	call(Right, "worker", "get_workflow", top)
	call(Right, "worker", "get_workflow", child)
	call(Foreign, "worker", "get_workflow", top)
	call(Missing, "", "get_workflow", nil)
	call(Right, "worker", "yield_checkpoint", m{"session_index": dispatched, "checkpoint_id": "gate"})
	if _, e := call(Right, "worker", "get_activity", child); !e.Failed {
		t.Error("not gated")
	}
	call(Right, "worker", "respond_checkpoint", child)
	if _, e := call(Right, "worker", "get_activity", child); e.Failed {
		t.Error("still gated")
	}
}
