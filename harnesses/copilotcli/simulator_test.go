package copilotcli

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"wsi/harnesses"
	"wsi/internal/testkit/codectest"
	"wsi/internal/testkit/envtest"
)

var (
	_ harnesses.Simulator = Simulator{}

	play = harnesses.ToolCall{Session: "s1", ID: "call_1", Server: "workflow-server", Tool: "next_activity", Args: []byte(`{"a":"<1>"}`), Cwd: "/proj"}
)

const good = `{"content":[{"type":"text","text":"ok"}],"structuredContent":{"session_token":"V"},"_meta":{"session_token":"V"}}`

func TestSimulatorWritesRecordedShapes(t *testing.T) {
	codectest.Shape(t, "testdata/1.0.102/run2-preToolUse-1.json", Simulator{}.Before(play), "toolArgs")
	codectest.Shape(t, "testdata/1.0.102/run2-postToolUse-1.json", Simulator{}.After(play, []byte(good)), "toolArgs")
	sub := play
	sub.Agent = "a1"
	codectest.Shape(t, "testdata/1.0.102/agent-preToolUse.json", Simulator{}.Before(sub), "toolArgs")
	codectest.Shape(t, "testdata/1.0.102/agent-postToolUse.json", Simulator{}.After(sub, []byte(good)), "toolArgs")
	codectest.Shape(t, "testdata/1.0.102/preCompact.json", Simulator{}.Compacted(play))
	codectest.Shape(t, "testdata/1.0.102/agent-preCompact.json", Simulator{}.Compacted(sub))
	if bytes.Contains(Simulator{}.After(play, []byte(good)), []byte("_meta")) {
		t.Error("no event has _meta")
	}
}

func TestCodecReadsSimulatedEvents(t *testing.T) {
	sub := play
	sub.Agent = "a1"
	for _, p := range []harnesses.ToolCall{play, sub} {
		for _, written := range [][]byte{Simulator{}.Before(p), Simulator{}.After(p, []byte(good))} {
			ev, err := Codec{}.Read(written)
			if err != nil {
				t.Fatal(err)
			}
			if tool, ok := (Codec{}).Tool(ev, p.Server); !ok || tool != p.Tool || ev.Session != p.Session || ev.Agent != p.Agent || string(ev.Args) != string(p.Args) {
				t.Errorf("not parsed: %s", written)
			}
			if ev.Kind == harnesses.After && string(ev.Result.Structured) != `{"session_token":"V"}` {
				t.Errorf("%s", ev.Result.Structured)
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
		{"silence", "", 0, `{"a":"<1>"}`},
		{"nothing", "{}\n", 0, `{"a":"<1>"}`},
		{"a rewrite", `{"modifiedArgs":{"x": 1.0}}` + "\n", 0, `{"x": 1.0}`},
		{"allow", `{"permissionDecision":"allow","modifiedArgs":{"x":1}}`, 0, ""},
		{"deny", `{"permissionDecision":"deny"}`, 0, ""},
		{"no object", `{"modifiedArgs":[]}`, 0, ""},
		{"text", "hello", 0, ""},
		{"a missing binary", "", 127, ""},
	} {
		args, err := Simulator{}.Apply(play, []byte(c.out), c.exit)
		if string(args) != c.args || (err == nil) != (c.args != "") {
			t.Errorf("%s: %s, %v", c.name, args, err)
		}
	}
}

// A compaction names the main agent's session, and the sub-agent whose conversation it is.
func TestCodecReadsCompactions(t *testing.T) {
	for _, agent := range []string{"", "a1"} {
		p := play
		p.Agent = agent
		ev, err := Codec{}.Read(Simulator{}.Compacted(p))
		if err != nil || ev.Kind != harnesses.Compacted || ev.Session != p.Session || ev.Agent != agent || !ev.Mute {
			t.Errorf("%+v, %v", ev, err)
		}
	}
}

// Where ids are kept, hooks see compactions; with a relay they see nothing else of wsi's servers.
func TestWiringThatKeepsIDs(t *testing.T) {
	env := envtest.New(t, nil, nil)
	for relay, events := range map[bool]string{
		false: "postToolUse postToolUseFailure preCompact preToolUse", true: "preCompact subagentStart",
	} {
		w, err := wiring(env, harnesses.User, harnesses.Program{Path: "/opt/wsi", Servers: []string{"shop"}, Handles: []string{"shop"}, Relay: relay})
		if err != nil {
			t.Fatal(err)
		}
		var file struct{ Hooks map[string]any }
		if err := json.Unmarshal(w.Owned[0].Content, &file); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(slices.Sorted(maps.Keys(file.Hooks)), " "); got != events || !w.Owned[0].Ours(w.Owned[0].Content) {
			t.Errorf("%s:\n%s", got, w.Owned[0].Content)
		}
	}
}

// A file of wsi is recognized with any path and servers, and a file of others is not.
func TestWiringIsRecognized(t *testing.T) {
	env := envtest.New(t, nil, nil)
	for _, goos := range []string{"linux", "windows"} {
		env.GOOS = goos
		path := map[string]string{"linux": "/opt/my tools/wsi", "windows": "C:/my tools/wsi.exe"}[goos]
		w, err := wiring(env, harnesses.User, harnesses.Program{Path: path, Servers: []string{"workflow-server", "b.c"}})
		if err != nil {
			t.Fatal(err)
		}
		wf := w.Owned[0]
		if _, marked := wf.Marked(wf.Content); !wf.Ours(wf.Content) || !marked || len(wf.Commands(wf.Content)) != 2 || !json.Valid(wf.Content) {
			t.Errorf("%s: %s", goos, wf.Content)
		}
		if !strings.Contains(string(wf.Content), `"matcher": "(workflow-server|b\\.c)-.+"`) {
			t.Errorf("%s", wf.Content)
		}
		edited := bytes.Replace(wf.Content, []byte("10"), []byte("20"), 1)
		if _, marked := wf.Marked(edited); wf.Ours(edited) || !marked {
			t.Error("an edited one is recognized")
		}
		for _, other := range []string{"", "{}", `{"version":1,"hooks":{"preToolUse":[{"bash":"guard"}]}}`, `{"version":1,"hooks":{"preToolUse":[{"bash":"/a/wsi inject --harness codex"}]}}`} {
			if _, marked := wf.Marked([]byte(other)); marked || wf.Ours([]byte(other)) || wf.Commands([]byte(other)) != nil {
				t.Errorf("%s is recognized", other)
			}
		}
	}
}
