package cursor

import (
	"bytes"
	"testing"

	"wsi/harnesses/setup"
	"wsi/internal/testkit/codectest"
)

var (
	_ setup.Simulator = Simulator{}
	_ setup.Repeating = Simulator{}

	play = setup.ToolCall{
		Session: "s1", ID: "call_1", Server: "workflow-server", Tool: "next_activity",
		Args: []byte(`{"a":"<1>"}`), Cwd: "/proj", Transcript: "/home/t.jsonl",
	}
)

const (
	good   = `{"content":[{"type":"text","text":"ok"}],"_meta":{"session_token":"V"}}`
	failed = `{"content":[{"type":"text","text":"no"}],"isError":true,"_meta":{"session_token":"V"}}`
)

func TestSimulatorWritesDocumentedShapes(t *testing.T) {
	for documented, written := range map[string][]byte{
		"preToolUse-mcp.json":            Simulator{}.Before(play),
		"afterMCPExecution-no-meta.json": Simulator{}.Earlier(play, []byte(good)),
		"postToolUse-mcp-no-meta.json":   Simulator{}.After(play, []byte(good)),
		"postToolUseFailure-mcp.json":    Simulator{}.After(play, []byte(failed)),
	} {
		codectest.Shape(t, "../../cursor/testdata/"+documented, written, "tool_input")
		if bytes.Contains(written, []byte("_meta")) {
			t.Errorf("%s: no event was seen with _meta", documented)
		}
	}
}
