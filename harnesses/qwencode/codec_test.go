package qwencode

import (
	"testing"

	"wsi/harnesses"
	"wsi/internal/testkit/codectest"
	"wsi/internal/testkit/envtest"
)

var _ harnesses.Compacting = Simulator{}

func TestRecordedEvents(t *testing.T) { codectest.Golden(t, Harness(), "shop") }

func FuzzRead(f *testing.F) { codectest.Fuzz(f, Harness(), "shop") }

func TestSimulatorWritesRecordedShapes(t *testing.T) {
	p := harnesses.ToolCall{Session: "s1", Cwd: "/proj", Transcript: "/t.jsonl"}
	codectest.Shape(t, "testdata/0.24.4/PostCompact.json", Simulator{}.Compacted(p))
	p.Agent = "a1"
	codectest.Shape(t, "testdata/0.24.4/agent-PostCompact.json", Simulator{}.Compacted(p))
}

// An event names the session, and the sub-agent if it has one.
func TestWhoseCompaction(t *testing.T) {
	for _, agent := range []string{"", "a1"} {
		ev, err := Codec{}.Read(Simulator{}.Compacted(harnesses.ToolCall{Session: "s1", Agent: agent}))
		if err != nil || ev.Kind != harnesses.Compacted || ev.Session != "s1" || ev.Agent != agent || !ev.Mute {
			t.Errorf("%+v, %v", ev, err)
		}
	}
}

// Only the events that tell a relay of compactions and sub-agents are registered.
func TestWiring(t *testing.T) {
	env := envtest.New(t, nil, nil)
	w, err := wiring(env, harnesses.User, harnesses.Program{Path: "/opt/wsi", Servers: []string{"shop"}, Handles: []string{"shop"}, Relay: true})
	if err != nil || len(w.Hooks) != 1 || len(w.Hooks[0].Entries) != 2 {
		t.Fatalf("%+v, %v", w, err)
	}
	for _, e := range w.Hooks[0].Entries {
		if e.Matcher != "" || !e.Compaction || e.Command != "/opt/wsi capture --harness qwen-code --server shop --handles shop" {
			t.Errorf("%+v", e)
		}
	}
}
