package hook

import (
	"path/filepath"
	"strings"
	"testing"

	"wsi/hook/callers"
)

// With --relay the hook only tells the relay who makes a call: it prints nothing, whatever is stored.
func TestOnlyNotes(t *testing.T) {
	w := newWorld(t)
	w.run("capture", "claude-code", `{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"mcp__workflow-server__start_session","tool_input":{},"tool_use_id":"t0","tool_response":[{"type":"text","text":"{\"session_token\":\"`+token(1)+`\"}"}]}`)
	if got := w.run("inject", "claude-code", `{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"mcp__workflow-server__get_activity","tool_input":{},"tool_use_id":"t1"}`); !strings.Contains(got, token(1)) {
		t.Fatalf("nothing is stored: %q", got)
	}
	event := func(more string) string {
		return `{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"mcp__workflow-server__get_activity","tool_input":{}` + more + `}`
	}
	run := func(event string) string {
		return w.with(Options{Verb: "inject", Harness: "claude-code", Relay: true}, event)
	}
	if got := run(event(`,"tool_use_id":"t1"`)); got != "" {
		t.Errorf("it said %q", got)
	}
	if got := run(event(`,"tool_use_id":"t2","agent_id":"a"`)); got != "" {
		t.Errorf("it said %q", got)
	}
	if last := w.last(); last.Did != "noted" || last.Verb != "inject" {
		t.Errorf("journal: %+v", last)
	}
	notes := callers.In(filepath.Join(w.home, "state"))
	for id, want := range map[string]callers.Owner{"t1": {Session: "s"}, "t2": {Session: "s", Agent: "a"}} {
		if got, err := notes.Read("claude-code", id); err != nil || got != want {
			t.Errorf("%s: got %+v, %v", id, got, err)
		}
	}
	run(event(``)) // no id
	if last := w.last(); last.Did != "left" {
		t.Errorf("journal: %+v", last)
	}
}

// OpenCode sends servers no id of a call: there the plugin puts the note's into the arguments.
func TestMarksWhereTheWireHasNoID(t *testing.T) {
	w := newWorld(t)
	for more, want := range map[string]struct {
		id    string
		owner callers.Owner
	}{
		``:                     {"ses_1:call_1", callers.Owner{Session: "ses_1"}},
		`,"rootID":"ses_root"`: {"ses_root/ses_1:call_1", callers.Owner{Session: "ses_root", Agent: "ses_1"}},
	} {
		event := `{"event":"before","sessionID":"ses_1","callID":"call_1","server":"workflow-server","tool":"workflow-server_get_activity","args":{}` + more + `}`
		answer := w.with(Options{Verb: "inject", Harness: "opencode", Relay: true}, event)
		if got := strings.TrimSpace(answer); got != `{"set":{"_wsi":"`+want.id+`"}}` {
			t.Errorf("got %s, want %s", got, want.id)
		}
		if got, err := callers.In(filepath.Join(w.home, "state")).Read("opencode", want.id); err != nil || got != want.owner {
			t.Errorf("%s: got %+v, %v", want.id, got, err)
		}
	}
}
