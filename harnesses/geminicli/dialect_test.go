package geminicli

import (
	"testing"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/internal/dialecttest"
)

func TestRecordedEvents(t *testing.T) { dialecttest.Golden(t, Dialect{}, "workflow-server") }

func FuzzRead(f *testing.F) { dialecttest.Fuzz(f, Dialect{}, "workflow-server") }

func TestToolOfServer(t *testing.T) {
	for _, c := range []struct{ name, told, tool string }{
		{"mcp_workflow-server_next_activity", "workflow-server", "next_activity"},
		{"mcp_workflow-server_next", "other", ""},
		{"mcp_workflow-server_next", "", ""},
		{"mcp_workflow-server_", "workflow-server", ""},
		{"read_file", "", ""},
	} {
		tool, ok := Dialect{}.Tool(harnesses.Event{Name: c.name, Server: c.told}, "workflow-server")
		if ok != (c.tool != "") || ok && tool != c.tool {
			t.Errorf("%+v: %q %v", c, tool, ok)
		}
	}
}

func TestAnswer(t *testing.T) {
	got := string(Dialect{}.Answer(carry.Change{Args: []byte(`{"a": 1.0}`)}))
	if got != `{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"a": 1.0}}}`+"\n" || len((Dialect{}).Nothing()) > 0 {
		t.Error(got)
	}
}

// A failed call shows hooks a text that is not the server's.
func TestFailedCall(t *testing.T) {
	ev, err := Dialect{}.Read([]byte(`{"hook_event_name":"AfterTool","tool_name":"mcp_w_x","tool_response":{"llmContent":"x","returnDisplay":"Error","error":{"message":"x"}}}`))
	if err != nil || ev.Kind != harnesses.Failed || ev.Result.Blocks != nil {
		t.Errorf("%+v, %v", ev, err)
	}
}
