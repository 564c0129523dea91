package cursor

import (
	"bytes"
	"testing"

	"wsi/harnesses/cursor"
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

func TestCodecReadsSimulatedEvents(t *testing.T) {
	for _, event := range [][]byte{Simulator{}.Before(play), Simulator{}.Earlier(play, []byte(good)), Simulator{}.After(play, []byte(good))} {
		ev, err := cursor.Codec{}.Read(event)
		if err != nil {
			t.Fatal(err)
		}
		if tool, ok := (cursor.Codec{}).Tool(ev, play.Server); !ok || tool != play.Tool || ev.Session != play.Session || string(ev.Args) != string(play.Args) {
			t.Errorf("not parsed: %s", event)
		}
	}
}

func TestApply(t *testing.T) {
	for _, c := range []struct {
		name, out string
		exit      int
		args      string // "" = an error
	}{
		{"silence", "", 0, `{"a":"<1>"}`},
		{"a missing binary", "", 127, `{"a":"<1>"}`},
		{"nothing", "{}\n", 0, `{"a":"<1>"}`},
		{"a rewrite", `{"updated_input":{"x": 1.0}}` + "\n", 0, `{"x": 1.0}`},
		{"text before", `hello {"updated_input":{"x":1}}`, 0, `{"x":1}`},
		{"allow", `{"permission":"allow","updated_input":{"x":1}}`, 0, ""},
		{"deny", `{"permission":"deny"}`, 0, ""},
		{"an unknown permission", `{"permission":"maybe"}`, 0, ""},
		{"claude code's form", `{"hookSpecificOutput":{"updatedInput":{"x":1}}}`, 0, ""},
		{"text", "hello", 0, ""},
		{"text behind", `{"updated_input":{"x":1}} hello`, 0, ""},
		{"no object", `{"updated_input":null}`, 0, ""},
		{"an array", `{"updated_input":[]}`, 0, ""},
		{"status 1", `{"updated_input":{"x":1}}`, 1, ""},
		{"status 2", "", 2, ""},
	} {
		args, err := Simulator{}.Apply(play, []byte(c.out), c.exit)
		if string(args) != c.args || (err == nil) != (c.args != "") {
			t.Errorf("%s: %s, %v", c.name, args, err)
		}
	}
}
