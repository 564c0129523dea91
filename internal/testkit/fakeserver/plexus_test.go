package fakeserver

import (
	"encoding/json"
	"sync/atomic"
	"testing"
	"time"
)

// A permission prompt waits for the decision and returns it as pure JSON.
func TestPlexusPermit(t *testing.T) {
	var now atomic.Int64
	p := NewPlexus(func() time.Time { return time.Unix(now.Load(), 0) })
	ask := []byte(`{"tool_name":"Bash","tool_use_id":"toolu_1","input":{"command":"ls"}}`)
	for name, c := range map[string]struct {
		decide func(id string) // nil: no decision until the timeout
		want   bool
	}{
		"allowed": {func(id string) { asked(t, p, "", "loopback.respond", object{"approval_id": id, "approve": true}) }, true},
		"denied": {func(id string) {
			asked(t, p, "", "loopback.respond", object{"approval_id": id, "approve": false, "message": "no"})
		}, false},
		"timeout": {nil, false},
	} {
		answer := make(chan []byte)
		go func() {
			out, err := p.Call("", "loopback.permit", ask)
			if err != nil {
				t.Error(err)
			}
			answer <- out
		}()
		var open []any
		for len(open) == 0 {
			_, list := asked(t, p, "", "loopback.pending", object{})
			open = list["approvals"].([]any)
		}
		select {
		case <-answer:
			t.Fatalf("%s: the prompt does not wait", name)
		case <-time.After(3 * pollInterval):
		}
		if c.decide != nil {
			c.decide(open[0].(map[string]any)["id"].(string))
		} else {
			now.Add(permitTimeout + 1)
		}
		text := textOf(t, <-answer)
		if ok, err := Permitted(text); ok != c.want || err != nil {
			t.Errorf("%s: %v, %v", name, ok, err)
		}
		if ok, err := Permitted(text + "\nwsi: a note"); ok || err == nil {
			t.Errorf("%s: appended text is accepted", name)
		}
	}
	if out, err := p.Call("", "loopback.permit", []byte(`{}`)); err != nil || !json.Valid(out) {
		t.Errorf("a prompt without arguments: %v", err)
	}
}

// The ledger accepts the id of an approval once. The server accepts it again.
func TestPlexusLedger(t *testing.T) {
	p := NewPlexus(time.Now)
	done := make(chan error)
	go func() {
		_, err := p.Call("", "loopback.permit", []byte(`{"tool_name":"Bash","tool_use_id":"toolu_1","input":{}}`))
		done <- err
	}()
	var open []any
	for len(open) == 0 {
		_, list := asked(t, p, "", "loopback.pending", object{})
		open = list["approvals"].([]any)
	}
	id := open[0].(map[string]any)["id"]
	if e, r := asked(t, p, "", "loopback.respond", object{"approval_id": "x", "approve": true}); e.Verdict != Unknown || e.Failed || r["type"] != "error" {
		t.Errorf("an unknown id: %+v %v", e, r)
	}
	for _, want := range []Verdict{Right, Stale} {
		if e, r := asked(t, p, "", "loopback.respond", object{"approval_id": id, "approve": true}); e.Verdict != want || r["type"] != "ok" {
			t.Errorf("want %s: %+v %v", want, e, r)
		}
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}
