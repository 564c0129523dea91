package clinecli

import (
	"testing"

	"wsi/internal/dialecttest"
)

func TestRecordedEvents(t *testing.T) { dialecttest.Golden(t, Dialect{}, "workflow-server") }

func FuzzRead(f *testing.F) { dialecttest.Fuzz(f, Dialect{}, "workflow-server") }

func TestToolOfServer(t *testing.T) {
	dialecttest.Tools(t, Dialect{}, "workflow-server",
		dialecttest.Named{Name: "workflow-server__next_activity", Tool: "next_activity"},
		dialecttest.Named{Name: "workflow-server__"},
		dialecttest.Named{Name: "workflow-server__a__b"},
		dialecttest.Named{Name: "other__next"},
		dialecttest.Named{Name: "read_files"},
	)
}

func TestAnswer(t *testing.T) {
	dialecttest.Silent(t, Dialect{}, `{"a": 1.0}`, `{"cancel":false,"overrideInput":{"a": 1.0}}`)
}

// The main agent has an id, too: an agent of its own is only who has a parent.
func TestAgents(t *testing.T) {
	for parent, want := range map[string]string{`null`: "", `""`: "", `"agent_0"`: "agent_1"} {
		ev, err := Dialect{}.Read([]byte(`{"hookName":"tool_call","agent_id":"agent_1","parent_agent_id":` + parent + `,"tool_call":{"name":"x","input":{}}}`))
		if err != nil || ev.Agent != want {
			t.Errorf("%s: %q, %v", parent, ev.Agent, err)
		}
	}
}
