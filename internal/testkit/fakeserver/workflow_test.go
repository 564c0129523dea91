package fakeserver

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"wsi/internal/refserver"
)

type rig struct {
	t   *testing.T
	w   *Workflow
	now time.Time
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, now: time.Unix(1795187971, 0)}
	r.w = NewWorkflow([]byte("key"), func() time.Time { return r.now })
	return r
}

// call makes a call and returns _meta.session_token, the text and isError.
func (r *rig) call(agent, tool string, args map[string]string) (token, text string, failed bool) {
	r.t.Helper()
	raw, _ := json.Marshal(args)
	out, err := r.w.Call(agent, tool, raw)
	if err != nil {
		r.t.Fatal(err)
	}
	var v struct {
		Meta struct {
			Token string `json:"session_token"`
		} `json:"_meta"`
		Content []struct{ Text string }
		IsError bool
	}
	if err := json.Unmarshal(out, &v); err != nil {
		r.t.Fatal(err)
	}
	return v.Meta.Token, v.Content[0].Text, v.IsError
}

func (r *rig) last(want Verdict) {
	r.t.Helper()
	l := r.w.Ledger()
	if got := l[len(l)-1]; got.Verdict != want {
		r.t.Errorf("%s of %s: %s, want %s", got.Tool, got.Agent, got.Verdict, want)
	}
}

type m = map[string]string

func TestCheckpointInToken(t *testing.T) {
	r := newRig(t)
	first, _, _ := r.call("a", "start_session", m{"agent_id": "a"})
	before, _, _ := r.call("a", "next_activity", m{"session_token": first, "activity_id": "first-step"})
	handle, _, _ := r.call("a", "yield_checkpoint", m{"session_token": before, "checkpoint_id": "gate"})
	if _, text, failed := r.call("a", "get_resource", m{"session_token": handle}); !failed || !strings.HasPrefix(text, "Blocked: Active checkpoint 'gate'") {
		t.Error("not gated")
	}
	if _, _, failed := r.call("a", "get_activity", m{"session_token": before}); failed {
		t.Error("a value from before the yield must pass the gate (wire 33)")
	}
	r.last(Stale)
	if _, text, _ := r.call("a", "respond_checkpoint", m{"checkpoint_handle": handle}); !strings.Contains(text, "too fast") {
		t.Error("an immediate response is accepted")
	}
	r.now = r.now.Add(4 * time.Second)
	for _, option := range []string{"proceed", "stop"} { // twice: accepted (wire 41)
		token, _, failed := r.call("a", "respond_checkpoint", m{"checkpoint_handle": handle, "option_id": option})
		if p, _ := decodeToken(token); failed || p.BCP != "" {
			t.Errorf("%s: failed %v, bcp %q", option, failed, p.BCP)
		}
	}
}

func TestStartSessionAcceptsDamage(t *testing.T) {
	r := newRig(t)
	top, _, _ := r.call("a", "start_session", m{"agent_id": "a"})
	child, _, _ := r.call("a", "start_session", m{"workflow_id": "lab-flow", "parent_session_token": top})
	p, _ := decodeToken(child)
	if q, _ := decodeToken(top); p.PSID != q.SID {
		t.Fatalf("psid %q, want %q", p.PSID, q.SID)
	}
	damaged := p
	damaged.PSID = p.PSID[:9] + "ab" + p.PSID[9:]
	body, _, _ := strings.Cut(refserver.Seal(r.w.key, damaged), ".")
	_, sig, _ := strings.Cut(child, ".")
	token, text, failed := r.call("b", "start_session", m{"session_token": body + "." + sig})
	if got, _ := r.w.open(token); failed || !strings.Contains(text, `"adopted": true`) || got.PSID != damaged.PSID {
		t.Error("damage was not adopted")
	}
	r.last(Unknown)
	token, text, failed = r.call("c", "start_session", m{"session_token": "!!" + child})
	if got, _ := decodeToken(token); failed || !strings.Contains(text, `"recovered": true`) || got.WF != "meta" || got.SID == p.SID {
		t.Error("no new session")
	}
	token, _, _ = r.call("d", "start_session", m{"parent_session_token": "x" + top})
	if got, _ := decodeToken(token); got.PSID != "" {
		t.Error("a mangled parent must be no parent (wire 14)")
	}
	r.call("a", "get_workflow", m{"session_token": child})
	r.last(Foreign)
	r.call("a", "get_workflow", m{"session_token": top})
	r.last(Right)
}
