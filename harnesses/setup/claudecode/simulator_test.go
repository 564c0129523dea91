package claudecode

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"

	"wsi/harnesses/claudecode"
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

func TestSimulatorHidesMetaFromEvents(t *testing.T) {
	for name, event := range map[string][]byte{
		"post": Simulator{}.After(mainPlay, []byte(structOnly)), "batch": Simulator{}.Batch(mainPlay, []byte(structOnly)), "failure": Simulator{}.After(mainPlay, []byte(failed)),
	} {
		if bytes.Contains(event, []byte("session_token")) {
			t.Errorf("%s: a result's _meta is in the event: %s", name, event)
		}
	}
	var e struct {
		Response   string `json:"tool_response"`
		Transcript string `json:"transcript_path"`
	}
	if err := json.Unmarshal(Simulator{}.After(subPlay, []byte(structOnly)), &e); err != nil || e.Response != `{"a":"<1>"}` {
		t.Errorf("structured content is shown as %q, %v", e.Response, err)
	}
	if filepath.ToSlash(e.Transcript) != mainPlay.Transcript {
		t.Errorf("a sub-agent's event names %s and not the main agent's transcript", e.Transcript)
	}
}

// The transcript has the _meta that no event has.
func TestCodecReadsSimulatedTranscript(t *testing.T) {
	for _, c := range []struct {
		play   setup.ToolCall
		result string
		error  bool
	}{{mainPlay, good, false}, {mainPlay, structOnly, false}, {mainPlay, failed, true}, {subPlay, good, false}, {subPlay, failed, true}} {
		ev, err := claudecode.Codec{}.Read(Simulator{}.Before(c.play))
		if err != nil {
			t.Fatal(err)
		}
		if files := (claudecode.Codec{}).Transcripts(ev); len(files) != 1 || filepath.ToSlash(files[0]) != c.play.Transcript {
			t.Errorf("the codec reads %v, the simulator writes to %s", files, c.play.Transcript)
		}
		line := Simulator{}.Transcript(c.play, []byte(c.result))
		r, found := claudecode.Codec{}.Line(line, c.play.ID)
		if !found || !bytes.Contains(r.Meta, []byte(`"V"`)) || r.Error != c.error {
			t.Errorf("not parsed: %s", line)
		}
	}
}

func TestApply(t *testing.T) {
	const head = `{"hookSpecificOutput":{"hookEventName":"PreToolUse",`
	for _, c := range []struct {
		name, out string
		exit      int
		args      string // "" = an error
	}{
		{"silence", "", 0, `{"activity_id":"a<1"}`},
		{"a missing binary", "", 127, `{"activity_id":"a<1"}`},
		{"nothing", "{}\n", 0, `{"activity_id":"a<1"}`},
		{"a rewrite", head + `"updatedInput":{"x": 1.0}}}` + "\n", 0, `{"x": 1.0}`},
		{"a rewrite and status 1", head + `"updatedInput":{"x":1}}}`, 1, `{"x":1}`},
		{"unknown keys", head + `"y":1,"updatedInput":{"x":1}},"z":2}`, 0, `{"x":1}`},
		{"status 2", head + `"updatedInput":{"x":1}}}`, 2, ""},
		{"allow", head + `"permissionDecision":"allow","updatedInput":{"x":1}}}`, 0, ""},
		{"ask", head + `"permissionDecision":"ask","updatedInput":{"x":1}}}`, 0, ""},
		{"text before", "hello " + head + `"updatedInput":{"x":1}}}`, 0, ""},
		{"two answers", head + `"updatedInput":{"x":1}}}{}`, 0, ""},
		{"no event", `{"hookSpecificOutput":{"updatedInput":{"x":1}}}`, 0, ""},
		{"another event", `{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedInput":{"x":1}}}`, 0, ""},
		{"at the top", `{"updatedInput":{"x":1}}`, 0, ""},
		{"no object", head + `"updatedInput":[1]}}`, 0, ""},
	} {
		args, err := Simulator{}.Apply(mainPlay, []byte(c.out), c.exit)
		if string(args) != c.args || (err == nil) != (c.args != "") {
			t.Errorf("%s: %s, %v", c.name, args, err)
		}
	}
}
