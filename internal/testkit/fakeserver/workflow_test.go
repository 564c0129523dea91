package fakeserver

import (
	"encoding/json"
	"testing"
	"time"
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
