package carry

import (
	"fmt"
	"testing"
)

// An argument that makes the value unnecessary, or names the parent, may be in an object.
func TestNoteOfInnerArguments(t *testing.T) {
	rule, s := plainRule(), new(State)
	rule.Inject[0].Unless, rule.Flow.Parent = []string{"config.handle"}, "config.parent"
	v := func(n int) string { return fmt.Sprintf("value-%040d", n) }
	After(rule, s, Call{Tool: "open", Args: []byte("{}")}, shows(v(0)))
	After(rule, s, Call{Agent: "w", Tool: "open", Args: []byte("{}")}, shows(v(1)))
	After(rule, s, Call{Tool: "next", Args: []byte(`{"config":{"handle":"` + v(1) + `"}}`)}, shows(v(2)))
	if d := Before(rule, s, Call{Tool: "next", Args: []byte("{}")}); d.Change.Value != v(0) {
		t.Errorf("the main agent goes on with %q", d.Change.Value)
	}
	if d := Before(rule, s, Call{Agent: "w", Tool: "next", Args: []byte("{}")}); d.Change.Value != v(2) {
		t.Errorf("the worker goes on with %q", d.Change.Value)
	}
	After(rule, s, Call{Tool: "open", Args: []byte(`{"config":{"parent":"` + v(0) + `"}}`)}, shows(v(3)))
	if d := Before(rule, s, Call{Tool: "next", Args: []byte("{}")}); d.Action != Left || d.Why != "several values are alive and only the model knows which is meant" {
		t.Errorf("after a child was made: %s %s", d.Action, d.Why)
	}
}
