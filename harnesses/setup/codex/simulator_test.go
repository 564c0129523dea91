package codex

import (
	"bytes"
	"testing"

	"wsi/harnesses/codex"
	"wsi/harnesses/setup"
	"wsi/internal/testkit/codectest"
)

var (
	_ setup.Simulator = Simulator{}

	mainPlay = setup.ToolCall{
		Session: "s1", ID: "call_1", Server: "workflow-server", Tool: "get_activity",
		Args: []byte(`{"a":"<1>"}`), Cwd: "/proj", Transcript: "/home/sessions/rollout.jsonl",
	}
	subPlay = func() setup.ToolCall {
		p := mainPlay
		p.Agent, p.Transcript = "a7", "/home/sessions/rollout-a7.jsonl"
		return p
	}()
)

const (
	good   = `{"content":[{"type":"text","text":"ok"}],"_meta":{"session_token":"V","other":{"kept":true}}}`
	failed = `{"content":[{"type":"text","text":"no"}],"isError":true,"_meta":{"session_token":"V","other":{"kept":true}}}`
)

func TestSimulatorWritesRecordedShapes(t *testing.T) {
	for recorded, written := range map[string][]byte{
		"session-PreToolUse.json":                  Simulator{}.Before(mainPlay),
		"session-PostToolUse.json":                 Simulator{}.After(mainPlay, []byte(good)),
		"subagent-PreToolUse.json":                 Simulator{}.Before(subPlay),
		"subagent-PostToolUse.json":                Simulator{}.After(subPlay, []byte(good)),
		"transcript-line-McpToolCall-isError.json": Simulator{}.Transcript(mainPlay, []byte(failed)),
	} {
		codectest.Shape(t, "../../codex/testdata/"+recorded, written, "tool_input", "payload.item.arguments")
	}
	if event := (Simulator{}).After(mainPlay, []byte(failed)); event != nil {
		t.Errorf("no hook runs after an error, but the simulator writes %s", event)
	}
}

// The transcript has the value of a call that failed.
func TestCodecReadsSimulatedTranscript(t *testing.T) {
	for _, play := range []setup.ToolCall{mainPlay, subPlay} {
		ev, err := codex.Codec{}.Read(Simulator{}.Before(play))
		if err != nil {
			t.Fatal(err)
		}
		if tool, ok := (codex.Codec{}).Tool(ev, play.Server); !ok || tool != play.Tool {
			t.Errorf("the tool %s of the simulator is read as %q", ev.Name, tool)
		}
		if files := (codex.Codec{}).Transcripts(ev); len(files) != 1 || files[0] != play.Transcript {
			t.Errorf("the codec reads %v, the simulator writes to %s", files, play.Transcript)
		}
		line := Simulator{}.Transcript(play, []byte(failed))
		r, found := codex.Codec{}.Line(line, play.ID)
		if !found || !r.Error || !bytes.Contains(r.Meta, []byte(`"V"`)) {
			t.Errorf("not parsed: %s", line)
		}
	}
}
