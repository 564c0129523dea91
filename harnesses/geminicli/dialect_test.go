package geminicli

import (
	"testing"

	"wsi/harnesses"
	"wsi/internal/testkit/dialecttest"
)

func TestRecordedEvents(t *testing.T) { dialecttest.Golden(t, Dialect{}, "workflow-server") }

func TestAnswers(t *testing.T) { dialecttest.Answers(t, Dialect{}, Twin{}) }

func FuzzRead(f *testing.F) { dialecttest.Fuzz(f, Dialect{}, "workflow-server") }

func TestToolOfServer(t *testing.T) {
	dialecttest.Tools(t, Dialect{}, "workflow-server",
		dialecttest.Named{Name: "mcp_workflow-server_next_activity", Server: "workflow-server", Tool: "next_activity"},
		dialecttest.Named{Name: "mcp_workflow-server_next", Server: "other"},
		dialecttest.Named{Name: "mcp_workflow-server_next"},
		dialecttest.Named{Name: "mcp_workflow-server_", Server: "workflow-server"},
		dialecttest.Named{Name: "read_file"},
	)
}

func TestAnswer(t *testing.T) {
	dialecttest.Silent(t, Dialect{}, `{"a": 1.0}`, `{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"a": 1.0}}}`)
}

// A failed call shows hooks a text that is not the server's.
func TestFailedCall(t *testing.T) {
	ev, err := Dialect{}.Read([]byte(`{"hook_event_name":"AfterTool","tool_name":"mcp_w_x","tool_response":{"llmContent":"x","returnDisplay":"Error","error":{"message":"x"}}}`))
	if err != nil || ev.Kind != harnesses.Failed || ev.Result.Blocks != nil {
		t.Errorf("%+v, %v", ev, err)
	}
}
