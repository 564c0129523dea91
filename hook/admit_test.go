package hook

import (
	"strings"
	"testing"

	"wsi/hook/schemas"
	"wsi/internal/testkit/fakeserver"
)

// A tool of tomorrow, and those that a rule does not name, are served where the server said that they need a value.
func TestToolThatNoRuleNames(t *testing.T) {
	h := &host{world: newWorld(t), server: "workflow-server", session: "s", call: fakeserver.NewIndex().Call}
	why := func() (last string) {
		for _, e := range h.journal() {
			if e.Verb == "inject" {
				last = e.Why
			}
		}
		return last
	}
	h.do("", "start_session", args{})
	own := h.shown("session_index")
	if h.do("", "get_new_thing", args{}) || why() != "no rule names this tool" {
		t.Errorf("of no known schema: sent %v (%s)", h.last, why())
	}
	if !h.do("", "get_new_thing", args{"session_index": "auto"}) || h.last["session_index"] != own {
		t.Errorf("a placeholder: sent %v: %s", h.last, h.text)
	}
	schema := []byte(`{"properties":{"session_index":{},"x":{}},"required":["session_index"]}`)
	free := []byte(`{"properties":{"session_index":{}}}`)
	tools := []schemas.Tool{{Name: "get_new_thing", Schema: schema}, {Name: "peek", Schema: free}, {Name: "delete_session", Schema: schema}}
	if err := schemas.In(h.env["WSI_STATE_DIR"]).Write("codex", "workflow-server", tools); err != nil {
		t.Fatal(err)
	}
	if !h.do("", "get_new_thing", args{"x": 1.0}) || h.last["session_index"] != own || h.last["x"] != 1.0 {
		t.Errorf("sent %v: %s (%s)", h.last, h.text, why())
	}
	if h.do("", "peek", args{}); h.last["session_index"] != nil || why() != "no rule names this tool" {
		t.Errorf("an argument that may be left out: sent %v (%s)", h.last, why())
	}
	if h.do("", "delete_session", args{}); h.last["session_index"] != nil {
		t.Errorf("a tool that destroys: sent %v", h.last)
	}
	if h.do("", "discover", args{}); h.last["session_index"] != nil || why() != "the tool takes no value" {
		t.Errorf("a tool that takes none: sent %v (%s)", h.last, why())
	}
	if !h.do("", "dispatch_child", args{"session_index": own}) {
		t.Fatal(h.text)
	}
	child := h.shown("session_index")
	if h.do("", "get_new_thing", args{}) || !strings.Contains(h.answer, "several sessions are open") {
		t.Errorf("two are open: sent %v: %s", h.last, h.answer)
	}
	if !h.do("", "peek", args{"session_index": child}) || h.do("", "get_new_thing", args{}) || !strings.Contains(h.answer, "("+own+", "+child+")") {
		t.Errorf("after a look at the child: sent %v: %s", h.last, h.answer)
	}
	for range 2 {
		h.do("", "get_new_thing", args{"session_index": own})
	}
	if !h.do("", "get_new_thing", args{}) || h.last["session_index"] != own {
		t.Errorf("after calls about its own: sent %v", h.last)
	}
}
