package clinecli

import (
	"testing"

	"wsi/harnesses"
	"wsi/internal/testkit/codectest"
)

var (
	_ harnesses.Simulator = Simulator{}

	play = harnesses.ToolCall{Session: "s1", ID: "call_1", Server: "workflow-server", Tool: "next_activity", Args: []byte(`{"a":"<1>","b":{"c":1.0}}`), Cwd: "/proj"}
)

const (
	good = `{"content":[{"type":"text","text":"ok"}],"structuredContent":{"hello":"V"},"_meta":{"session_token":"V"}}`
	bad  = `{"_meta":{"session_token":"V"},"content":[{"type":"text","text":"no"}],"isError":true}`
)

func TestSimulatorWritesRecordedShapes(t *testing.T) {
	const dir = "testdata/3.0.65/"
	open := []string{"tool_call.input", "tool_result.input", "preToolUse.parameters", "postToolUse.parameters"}
	codectest.Shape(t, dir+"PreToolUse-1.json", Simulator{}.Before(play), open...)
	codectest.Shape(t, dir+"PostToolUse-1.json", Simulator{}.After(play, []byte(good)), open...)
	codectest.Shape(t, dir+"PostToolUse-error.json", Simulator{}.After(play, []byte(bad)), open...)
}

func TestCodecReadsSimulatedEvents(t *testing.T) {
	sub := play
	sub.Agent = "agent_1"
	for _, p := range []harnesses.ToolCall{play, sub} {
		for _, written := range [][]byte{Simulator{}.Before(p), Simulator{}.After(p, []byte(good)), Simulator{}.After(p, []byte(bad))} {
			ev, err := Codec{}.Read(written)
			if err != nil {
				t.Fatal(err)
			}
			if tool, ok := (Codec{}).Tool(ev, p.Server); !ok || tool != p.Tool || ev.Session != p.Session || ev.Agent != p.Agent || ev.ID != p.ID || string(ev.Args) != string(p.Args) {
				t.Errorf("not parsed: %s", written)
			}
			if ev.Kind == harnesses.After && string(ev.Result.Meta) != `{"session_token":"V"}` {
				t.Errorf("%s", ev.Result.Meta)
			}
		}
	}
}

func TestApply(t *testing.T) {
	for _, c := range []struct {
		name, out string
		exit      int
		args      string // "" = an error
	}{
		{"silence", "", 0, string(play.Args)},
		{"nothing", "{}\n", 0, string(play.Args)},
		{"a rewrite", `{"cancel":false,"overrideInput":{"x": 1.0}}` + "\n", 0, `{"x": 1.0}`},
		{"cancel", `{"cancel":true,"errorMessage":"x"}`, 0, ""},
		{"no object", `{"overrideInput":[]}`, 0, ""},
		{"text", "hello", 0, ""},
		{"a missing binary", "", 127, string(play.Args)},
	} {
		args, err := Simulator{}.Apply(play, []byte(c.out), c.exit)
		if string(args) != c.args || (err == nil) != (c.args != "") {
			t.Errorf("%s: %s, %v", c.name, args, err)
		}
	}
}
