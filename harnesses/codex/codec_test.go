package codex

import (
	"os"
	"testing"

	"wsi/hook/carry"
	"wsi/internal/testkit/codectest"
)

func TestRecordedEvents(t *testing.T) { codectest.Golden(t, Dialect(), "workflow-server") }

func TestAnswers(t *testing.T) { codectest.Answers(t, Dialect()) }

func FuzzRead(f *testing.F) { codectest.Fuzz(f, Dialect(), "workflow-server") }

func TestTranscriptLine(t *testing.T) {
	line, err := os.ReadFile("testdata/transcript-line-McpToolCall-isError.json")
	if err != nil {
		t.Fatal(err)
	}
	r, found := Codec{}.Line(line, "call_default_1_0")
	if !found || !r.Error {
		t.Fatalf("found %v, error %v", found, r.Error)
	}
	rule := codectest.Token("workflow-server")
	if d := carry.After(&rule, new(carry.State), carry.Call{Tool: "get_activity"}, r); len(d.Value) != 480 {
		t.Errorf("value of %d characters, want 480", len(d.Value))
	}
	if _, found := (Codec{}).Line(line, "call_default_1_1"); found {
		t.Error("read as the result of another call")
	}
}

func TestToolOfServer(t *testing.T) {
	codectest.Tools(t, Codec{}, [][4]string{
		{"mcp__workflow_server__next", "", "workflow-server", "next"},
		{"mcp__workflow_server__next", "", "workflow_server", "next"},
		{"mcp__workflow_server_1c2b348fa260__next", "", "workflow-server", "next"},
		{"mcp__workflow_server_1c2b348fa26z__next", "", "workflow-server", ""},
		{"mcp__wf__next", "", "wf_", "next"},
		{"mcp__workflow_server2__next", "", "workflow-server", ""},
		{"mcp__workflow_server__a__b", "", "workflow-server", ""},
		{"mcp__workflow_server__", "", "workflow-server", ""},
		{"shell", "", "workflow-server", ""},
	})
}
