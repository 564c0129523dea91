package hook

import (
	"strings"
	"testing"

	"wsi/internal/testkit/fakeserver"
)

// Six characters: put where they are missing and one is alive, never repaired.
func TestIndex(t *testing.T) {
	h := &host{world: newWorld(t), server: "workflow-server", session: "s", call: fakeserver.NewIndex().Call}
	if h.do("", "get_workflow", args{}) {
		t.Error("a value out of nothing")
	}
	if !h.do("", "start_session", args{}) {
		t.Fatal(h.text)
	}
	parent := h.shown("session_index")
	for range 3 {
		if !h.do("", "get_workflow", args{}) || h.last["session_index"] != parent || h.last["session_token"] != nil {
			t.Errorf("sent %v: %s", h.last, h.text)
		}
	}
	h.do("", "get_workflow", args{"session_index": parent})
	// The rule of the older version, with its token, looked at the same call.
	if j := h.journal(); j[len(j)-2].Why != "session_index is already there" || j[len(j)-1].Why != "already stored" {
		t.Errorf("of the rule that the call is about the journal says %q, %q", j[len(j)-2].Why, j[len(j)-1].Why)
	}
	if h.do("", "get_workflow", args{"session_index": parent[:5] + "A"}) && parent[5] != 'A' {
		t.Error("an index was repaired")
	}
	for _, placeholder := range []any{
		"", nil, "auto", "<session_index>", "{session_index}", "{{session_index}}", "${SESSION_INDEX}", "[session_index]", "session_index",
		"YOUR_SESSION_INDEX", "your-session-index", "undefined", "null", "None", "N/A", "current", "...", "…", parent[:3] + "...",
	} {
		if !h.do("", "get_workflow", args{"session_index": placeholder}) || h.last["session_index"] != parent {
			t.Errorf("%v: sent %v: %s", placeholder, h.last, h.text)
		}
		if j := h.journal(); j[len(j)-2].Did != "injected" {
			t.Errorf("%v: the journal says %s, %s", placeholder, j[len(j)-2].Did, j[len(j)-2].Why)
		}
	}
	for _, other := range []string{"7777...", "auto..."} {
		if h.do("", "get_workflow", args{"session_index": other}) && !strings.HasPrefix(parent, "7777") || !strings.Contains(h.answer, "pass the whole session_index") {
			t.Errorf("%s, the beginning of another index: sent %v: %s", other, h.last, h.answer)
		}
		if h.do("", "dispatch_child", args{"session_index": other}) {
			t.Errorf("%s: a child of %v", other, h.last)
		}
	}
	if !h.do("", "dispatch_child", args{"session_index": parent}) {
		t.Fatal(h.text)
	}
	child := h.shown("session_index")
	if h.do("", "get_workflow", args{}) {
		t.Errorf("of two that are alive %v was taken", h.last)
	}
	if !strings.Contains(h.answer, "pass the session_index of the session you mean") {
		t.Errorf("the model is told %q", h.answer)
	}
	if !h.do("worker", "get_workflow", args{"session_index": child}) || !h.do("worker", "next_activity", args{}) || h.last["session_index"] != child {
		t.Errorf("the worker sent %v", h.last)
	}
	if !h.do("", "get_workflow", args{"session_index": parent}) || !h.do("", "get_workflow", args{}) || h.last["session_index"] != parent {
		t.Errorf("the orchestrator sent %v", h.last)
	}
}
