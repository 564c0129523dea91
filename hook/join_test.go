package hook

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"wsi/hook/callers"
)

// With --join the hook only tells the relay who makes a call: it prints nothing, whatever is stored.
func TestJoinOnlyNotes(t *testing.T) {
	w := newWorld(t)
	w.run("capture", "claude-code", `{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"mcp__workflow-server__start_session","tool_input":{},"tool_use_id":"t0","tool_response":[{"type":"text","text":"{\"session_token\":\"`+token(1)+`\"}"}]}`)
	if got := w.run("inject", "claude-code", `{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"mcp__workflow-server__get_activity","tool_input":{},"tool_use_id":"t1"}`); !strings.Contains(got, token(1)) {
		t.Fatalf("nothing is stored: %q", got)
	}
	event := func(more string) string {
		return `{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"mcp__workflow-server__get_activity","tool_input":{}` + more + `}`
	}
	run := func(event string) string {
		var out bytes.Buffer
		Run(Env{Stdin: strings.NewReader(event), Stdout: &out, Getenv: func(k string) string { return w.env[k] }, Home: w.home, GOOS: "linux"},
			Options{Verb: "inject", Harness: "claude-code", Join: true})
		return out.String()
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
		if got, ok, err := notes.Read("claude-code", id); !ok || err != nil || got != want {
			t.Errorf("%s: got %+v, %v, %v", id, got, ok, err)
		}
	}
	run(event(``)) // no id
	if last := w.last(); last.Did != "left" {
		t.Errorf("journal: %+v", last)
	}
}

// OpenCode names no call on the wire: there the relay is told in the arguments, by way of the plugin.
func TestJoinMarksWhereTheWireHasNoID(t *testing.T) {
	w := newWorld(t)
	for more, want := range map[string]string{
		``:                     `{"set":{"_wsi":"wsi:ses_1:call_1"}}`,
		`,"rootID":"ses_root"`: `{"set":{"_wsi":"wsi:ses_root/ses_1:call_1"}}`,
	} {
		var out bytes.Buffer
		event := `{"event":"before","sessionID":"ses_1","callID":"call_1","server":"workflow-server","tool":"workflow-server_get_activity","args":{}` + more + `}`
		Run(Env{Stdin: strings.NewReader(event), Stdout: &out, Getenv: func(k string) string { return w.env[k] }, Home: w.home, GOOS: "linux"},
			Options{Verb: "inject", Harness: "opencode", Join: true})
		if got := strings.TrimSpace(out.String()); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
