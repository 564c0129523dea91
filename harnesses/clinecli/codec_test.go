package clinecli

import (
	"strings"
	"testing"

	"wsi/internal/testkit/codectest"
)

func TestRecordedEvents(t *testing.T) { codectest.Golden(t, Harness(), "workflow-server") }

func FuzzRead(f *testing.F) { codectest.Fuzz(f, Harness(), "workflow-server") }

func TestToolOfServer(t *testing.T) {
	codectest.Tools(t, Codec{}, "workflow-server",
		codectest.Named{Name: "workflow-server__next_activity", Tool: "next_activity"},
		codectest.Named{Name: "workflow-server__"},
		codectest.Named{Name: "workflow-server__a__b"},
		codectest.Named{Name: "other__next"},
		codectest.Named{Name: "read_files"},
		codectest.Named{Name: "workflow-server___next"},
		codectest.Named{Name: called("workflow-server", strings.Repeat("n", 60))},
	)
	codectest.Tools(t, Codec{}, "my  Wörk.",
		codectest.Named{Name: called("my  Wörk.", "next"), Tool: "next"},
		codectest.Named{Name: called("my Wörk.", "next")},
		codectest.Named{Name: called("my  Wörk.", strings.Repeat("n", 60))},
		codectest.Named{Name: "my_W_rk___next_12345678"},
		codectest.Named{Name: "my_W_rk___"},
	)
}

func TestAnswer(t *testing.T) {
	codectest.Silent(t, Codec{}, `{"a": 1.0}`, `{"cancel":false,"overrideInput":{"a": 1.0}}`)
}

// The main agent has an id, too: an agent of its own is only who has a parent.
func TestAgents(t *testing.T) {
	for parent, want := range map[string]string{`null`: "", `""`: "", `"agent_0"`: "agent_1"} {
		ev, err := Codec{}.Read([]byte(`{"hookName":"tool_call","agent_id":"agent_1","parent_agent_id":` + parent + `,"tool_call":{"name":"x","input":{}}}`))
		if err != nil || ev.Agent != want {
			t.Errorf("%s: %q, %v", parent, ev.Agent, err)
		}
	}
}

// What 3.0.65 makes of them, computed by its own code.
func TestNames(t *testing.T) {
	for _, c := range []struct{ server, tool, want string }{
		{"flow", "next", "flow__next"},
		{"my  Wörk.", "next", "my_W_rk___next_ce5b69da"},
		{"flow", strings.Repeat("n", 70), "flow__nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn_3aa7ddbc"},
	} {
		if got := called(c.server, c.tool); got != c.want {
			t.Errorf("%q", got)
		}
	}
}
