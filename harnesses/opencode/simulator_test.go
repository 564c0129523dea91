package opencode

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wsi/harnesses"
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
		raw, err := os.ReadFile("testdata/" + c.file + ".json")
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
		p := harnesses.ToolCall{Session: rec.Root, ID: rec.ID, Server: "workflow-server", Tool: c.tool, Args: rec.Args}
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
	p := harnesses.Program{Path: "/opt/my tools/wsi", Servers: []string{"workflow-server"}}
	want := []string{"/opt/my tools/wsi", "inject", "--harness", "opencode", "--server", "workflow-server"}
	if diff := cmp.Diff(want, Simulator{}.Shell(harnesses.Env{GOOS: "linux"}, p.Command("linux", harnesses.Inject, ID))); diff != "" {
		t.Error(diff)
	}
	if got := (Simulator{}).Shell(harnesses.Env{GOOS: "linux"}, "rm -rf /"); got != nil {
		t.Errorf("a foreign command runs as %q", got)
	}
}
