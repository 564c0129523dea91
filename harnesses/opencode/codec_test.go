package opencode

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/hook/rules"
	"wsi/internal/testkit/codectest"
)

func TestRecordedEvents(t *testing.T) { codectest.Golden(t, Harness(), "workflow-server") }

func TestAnswers(t *testing.T) { codectest.Answers(t, Harness()) }

func FuzzRead(f *testing.F) { codectest.Fuzz(f, Harness(), "workflow-server") }

func TestSessionAndAgent(t *testing.T) {
	for file, child := range map[string]bool{"before.get_activity": false, "before.subagent": true} {
		raw, err := os.ReadFile("testdata/" + file + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var ids struct{ SessionID, RootID, Agent string }
		if err := json.Unmarshal(raw, &ids); err != nil {
			t.Fatal(err)
		}
		if child {
			ids.Agent = ids.SessionID
		}
		ev, err := Codec{}.Read(raw)
		if err != nil || ev.Session != ids.RootID || ev.Agent != ids.Agent {
			t.Errorf("%s: session %q agent %q, %v", file, ev.Session, ev.Agent, err)
		}
	}
	ev, err := Codec{}.Read([]byte(`{"event":"before","sessionID":"ses_1","tool":"workflow-server_x"}`))
	if err != nil || ev.Session != "ses_1" || ev.Agent != "" {
		t.Errorf("without a root: session %q agent %q, %v", ev.Session, ev.Agent, err)
	}
}

// For an error OpenCode shows only the text, which may quote the arguments: that of claude-code-mcp has the session id,
// even a mistyped one.
func TestFailedCallShowsNoValue(t *testing.T) {
	value := strings.Repeat("v", 120)
	for _, text := range []string{"session_token: " + value, `{"session_token":"` + value + `"}`, `{"structuredContent":{"session_token":"` + value + `"}}`} {
		event, err := json.Marshal(map[string]any{"event": "failed", "sessionID": "s", "rootID": "s", "tool": "workflow-server_get_activity", "error": text})
		if err != nil {
			t.Fatal(err)
		}
		ev, err := Codec{}.Read(event)
		if err != nil || ev.Kind != harnesses.Failed {
			t.Fatalf("%s: %v", ev.Kind, err)
		}
		rule := rules.ForToken("workflow-server")
		if d := carry.After(&rule, new(carry.State), carry.Call{Tool: "get_activity"}, ev.Result); d.Action != carry.Left || d.Value != "" {
			t.Errorf("%s of %q: %s", d.Action, text[:14], d.Why)
		}
	}
}

func TestNoEvent(t *testing.T) {
	for _, event := range []string{"", "null", "[]", "{}", `{"event":"before"}`, `{"tool":"x"`} {
		if _, err := (Codec{}).Read([]byte(event)); err == nil {
			t.Errorf("%q is an event", event)
		}
	}
	if ev, err := (Codec{}).Read([]byte(`{"event":"later","tool":"x"}`)); err != nil || ev.Kind != harnesses.Other {
		t.Errorf("an unknown event: %s %v", ev.Kind, err)
	}
}

func TestToolOfServer(t *testing.T) {
	for _, c := range []struct{ name, told, server, tool string }{
		{"workflow-server_next", "", "workflow-server", "next"},
		{"workflow-server_next", "workflow-server", "workflow-server", "next"},
		{"workflow-server_next", "workflow.server", "workflow-server", ""},
		{"workflow_server_next", "workflow.server", "workflow.server", "next"},
		{"work_flow_server_next", "", "work flow/server", "next"},
		{"w_rkflow_next", "", "wörkflow", "next"},
		{"workflow-server_", "", "workflow-server", ""},
		{"workflow-server", "", "workflow-server", ""},
		{"workflow_server_next", "", "workflow-server", ""},
		{"xworkflow-server_next", "", "workflow-server", ""},
		{"bash", "", "workflow-server", ""},
	} {
		tool, ok := Codec{}.Tool(harnesses.Event{Name: c.name, Server: c.told}, c.server)
		if tool != c.tool || ok != (c.tool != "") {
			t.Errorf("%s of %q: %q %v, want %q", c.name, c.server, tool, ok, c.tool)
		}
	}
}

func TestApply(t *testing.T) {
	change := carry.Change{Set: []carry.Argument{{Name: `session "token"`, Value: []byte(`"v\"\\"`)}}}
	for args, want := range map[string]string{
		`{}`:                                 `{"session \"token\"":"v\"\\"}`,
		" {\"a\" : 12345678901234567890 }\n": " {\"a\" : 12345678901234567890,\"session \\\"token\\\"\":\"v\\\"\\\\\" }\n",
		`{"session \"token\"":"auto","b":1}`: `{"session \"token\"":"v\"\\","b":1}`,
		`{"session \"token\"":1,"session \"token\"":2}`: `{"session \"token\"":"v\"\\","session \"token\"":"v\"\\"}`, // the plugin parses it and keeps one
	} {
		got, err := Simulator{}.Apply(harnesses.ToolCall{Args: []byte(args)}, Codec{}.Answer(change), 0)
		if err != nil || string(got) != want {
			t.Errorf("%s became %s, want %s: %v", args, got, want, err)
		}
	}
	play := harnesses.ToolCall{Args: []byte(`{"a":1}`)}
	if got, err := (Simulator{}).Apply(play, Codec{}.Nothing(), 0); err != nil || !bytes.Equal(got, play.Args) {
		t.Errorf("nothing became %s: %v", got, err)
	}
	for _, answer := range []string{"{", "[]", `{"set":1}`, `{"hookSpecificOutput":{}}`} {
		if got, err := (Simulator{}).Apply(play, []byte(answer), 0); err == nil {
			t.Errorf("the answer %s became %s", answer, got)
		}
	}
	if got, err := (Simulator{}).Apply(play, Codec{}.Answer(change), 1); err == nil {
		t.Errorf("the answer of a failed wsi became %s", got)
	}
}
