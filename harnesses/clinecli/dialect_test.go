package clinecli

import (
	"testing"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/internal/dialecttest"
)

func TestRecordedEvents(t *testing.T) { dialecttest.Golden(t, Dialect{}, "workflow-server") }

func FuzzRead(f *testing.F) { dialecttest.Fuzz(f, Dialect{}, "workflow-server") }

func TestToolOfServer(t *testing.T) {
	for name, want := range map[string]string{
		"workflow-server__next_activity": "next_activity", "workflow-server__": "", "workflow-server__a__b": "", "other__next": "", "read_files": "",
	} {
		tool, ok := Dialect{}.Tool(harnesses.Event{Name: name}, "workflow-server")
		if ok != (want != "") || ok && tool != want {
			t.Errorf("%s: %q %v", name, tool, ok)
		}
	}
}

func TestAnswer(t *testing.T) {
	got := string(Dialect{}.Answer(carry.Change{Args: []byte(`{"a": 1.0}`)}))
	if got != `{"cancel":false,"overrideInput":{"a": 1.0}}`+"\n" || len((Dialect{}).Nothing()) > 0 {
		t.Error(got)
	}
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
