package opencode

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/internal/testkit/codectest"
)

func TestRecordedEvents(t *testing.T) { codectest.Golden(t, Dialect(), "workflow-server") }

func TestAnswers(t *testing.T) { codectest.Answers(t, Dialect()) }

func FuzzRead(f *testing.F) { codectest.Fuzz(f, Dialect(), "workflow-server") }

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
		rule := codectest.Token("workflow-server")
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
	codectest.Tools(t, Codec{}, [][4]string{
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
	})
}
