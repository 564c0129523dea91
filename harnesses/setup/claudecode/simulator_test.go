package claudecode

import (
	"testing"

	"wsi/harnesses/setup"
	"wsi/internal/testkit/codectest"
)

var (
	_ setup.Simulator = Simulator{}

	mainPlay = setup.ToolCall{
		Session: "s1", ID: "toolu_1", Server: "workflow-server", Tool: "get_activity",
		Args: []byte(`{"activity_id":"a<1"}`), Cwd: "/proj", Transcript: "/home/p/s1.jsonl",
	}
	subPlay = func() setup.ToolCall {
		p := mainPlay
		p.Agent, p.Transcript = "a7", "/home/p/s1/subagents/agent-a7.jsonl"
		return p
	}()
)

const (
	good       = `{"content":[{"type":"text","text":"ok","_meta":{"b":1}}],"_meta":{"session_token":"V","other":{"n":1}}}`
	structOnly = `{"content":[{"type":"text","text":"ok"}],"structuredContent":{"a": "<1>"},"_meta":{"session_token":"V"}}`
	failed     = `{"content":[{"type":"text","text":"no"}],"isError":true,"_meta":{"session_token":"V","lab/other":{"n":1}}}`
)

func TestSimulatorWritesRecordedShapes(t *testing.T) {
	const dir = "../../claudecode/testdata/2.1.329/"
	w := Simulator{}
	for recorded, written := range map[string][]byte{
		"q1-error-pre-1.json":  w.Before(mainPlay),
		"q1-error-post-1.json": w.After(mainPlay, []byte(`{"content":[{"type":"text","text":"ok"}]}`)),
		"c-blocktoken-seq-post-1.json": w.After(mainPlay, []byte(
			`{"content":[{"type":"text","text":"ok","_meta":{"session_token":"V"}}],"_meta":{"session_token":"V"}}`)),
		"q1-structured-post-1.json":  w.After(mainPlay, []byte(structOnly)),
		"q1-error-fail-1.json":       w.After(mainPlay, []byte(failed)),
		"q1-structured-batch-1.json": w.Batch(mainPlay, []byte(structOnly)),
		"q1-error-batch-1.json":      w.Batch(mainPlay, []byte(good)),
		"q4-subagent-pre-3.json":     w.Before(subPlay),
		"q4-subagent-post-3.json":    w.After(subPlay, []byte(`{"content":[{"type":"text","text":"ok"},{"type":"text","text":"2","_meta":{"block_note":"x"}}]}`)),
	} {
		codectest.Shape(t, dir+recorded, written, "tool_input", "tool_calls[].tool_input")
	}
	codectest.Shape(t, dir+"transcript-line-mcpMeta-iserror.json", w.Transcript(mainPlay, []byte(failed)))
	codectest.Shape(t, dir+"transcript-line-mcpMeta-subagent.json",
		w.Transcript(subPlay, []byte(`{"content":[{"type":"text","text":"ok","_meta":{"x":1}},{"type":"text","text":"2"}],"_meta":{"session_token":"V","lab/other":{"n":1}}}`)))
}
