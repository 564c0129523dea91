package opencode

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wsi/harnesses"
	"wsi/harnesses/opencode"
	"wsi/harnesses/setup"
	"wsi/hook/carry"
)

// TestSimulatorWritesWhatThePluginWrites compares the simulator with events of the plugin in the real binary.
func TestSimulatorWritesWhatThePluginWrites(t *testing.T) {
	for _, c := range []struct{ file, tool string }{
		{"before.start_session", "start_session"},
		{"after.start_session", "start_session"},
		{"before.get_activity", "get_activity"},
		{"after.get_activity", "get_activity"},
		{"before.subagent", "next_activity"},
		{"after.subagent", "next_activity"},
		{"failed.next_activity", "next_activity"},
	} {
		raw, err := os.ReadFile("../../opencode/testdata/" + c.file + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var rec struct {
			Event   string          `json:"event"`
			Session string          `json:"sessionID"`
			Root    string          `json:"rootID"`
			ID      string          `json:"callID"`
			Args    json.RawMessage `json:"args"`
			Result  json.RawMessage `json:"result"`
			Error   string          `json:"error"`
		}
		if err := json.Unmarshal(raw, &rec); err != nil {
			t.Fatal(err)
		}
		p := setup.ToolCall{Session: rec.Root, ID: rec.ID, Server: "workflow-server", Tool: c.tool, Args: rec.Args}
		if rec.Session != rec.Root {
			p.Agent = rec.Session
		}
		got := Simulator{}.Before(p)
		switch rec.Event {
		case "after":
			got = Simulator{}.After(p, rec.Result)
		case "failed":
			text, err := json.Marshal(map[string]any{"isError": true, "content": []any{map[string]string{"type": "text", "text": rec.Error}}})
			if err != nil {
				t.Fatal(err)
			}
			got = Simulator{}.After(p, text)
		}
		if diff := cmp.Diff(string(raw)+"\n", string(got)); diff != "" {
			t.Errorf("%s (-plugin +simulator):\n%s", c.file, diff)
		}
	}
}

func TestShell(t *testing.T) {
	p := setup.Program{Path: "/opt/my tools/wsi", Servers: []string{"workflow-server"}}
	want := []string{"/opt/my tools/wsi", "inject", "--harness", "opencode", "--server", "workflow-server"}
	if diff := cmp.Diff(want, Simulator{}.Shell(setup.Env{GOOS: "linux"}, p.Command("linux", harnesses.Inject, opencode.ID))); diff != "" {
		t.Error(diff)
	}
	if got := (Simulator{}).Shell(setup.Env{GOOS: "linux"}, "rm -rf /"); got != nil {
		t.Errorf("a foreign command runs as %q", got)
	}
}

func TestApply(t *testing.T) {
	change := carry.Change{Set: []carry.Argument{{Name: `session "token"`, Value: []byte(`"v\"\\"`)}}}
	for args, want := range map[string]string{
		`{}`:                                 `{"session \"token\"":"v\"\\"}`,
		" {\"a\" : 12345678901234567890 }\n": "{\"a\" : 12345678901234567890 ,\"session \\\"token\\\"\":\"v\\\"\\\\\"}",
		`{"session \"token\"":"auto","b":1}`: `{"session \"token\"":"v\"\\","b":1}`,
		`{"session \"token\"":1,"session \"token\"":2}`: `{"session \"token\"":"v\"\\"}`, // the plugin parses it and keeps one
	} {
		got, err := Simulator{}.Apply(setup.ToolCall{Args: []byte(args)}, opencode.Codec{}.Answer(change), 0)
		if err != nil || string(got) != want {
			t.Errorf("%s became %s, want %s: %v", args, got, want, err)
		}
	}
	play := setup.ToolCall{Args: []byte(`{"a":1}`)}
	if got, err := (Simulator{}).Apply(play, opencode.Codec{}.Nothing(), 0); err != nil || !bytes.Equal(got, play.Args) {
		t.Errorf("nothing became %s: %v", got, err)
	}
	for _, answer := range []string{"{", "[]", `{"set":1}`, `{"hookSpecificOutput":{}}`} {
		if got, err := (Simulator{}).Apply(play, []byte(answer), 0); err == nil {
			t.Errorf("the answer %s became %s", answer, got)
		}
	}
	if got, err := (Simulator{}).Apply(play, opencode.Codec{}.Answer(change), 1); err == nil {
		t.Errorf("the answer of a failed wsi became %s", got)
	}
}
