package geminicli

import (
	"testing"

	"wsi/harnesses"
	"wsi/internal/testkit/codectest"
)

func TestRecordedEvents(t *testing.T) { codectest.Golden(t, Harness(), "workflow-server") }

func TestAnswers(t *testing.T) { codectest.Answers(t, Harness()) }

func FuzzRead(f *testing.F) { codectest.Fuzz(f, Harness(), "workflow-server") }

func TestToolOfServer(t *testing.T) {
	codectest.Tools(t, Codec{}, "workflow-server",
		codectest.Named{Name: "mcp_workflow-server_next_activity", Server: "workflow-server", Tool: "next_activity"},
		codectest.Named{Name: "mcp_workflow-server_next", Server: "other"},
		codectest.Named{Name: "mcp_workflow-server_next"},
		codectest.Named{Name: "mcp_workflow-server_", Server: "workflow-server"},
		codectest.Named{Name: "read_file"},
	)
}

func TestAnswer(t *testing.T) {
	codectest.Silent(t, Codec{}, `{"a": 1.0}`, `{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"a": 1.0}}}`)
}

// A failed call shows hooks a text that is not the server's.
func TestFailedCall(t *testing.T) {
	ev, err := Codec{}.Read([]byte(`{"hook_event_name":"AfterTool","tool_name":"mcp_w_x","tool_response":{"llmContent":"x","returnDisplay":"Error","error":{"message":"x"}}}`))
	if err != nil || ev.Kind != harnesses.Failed || ev.Result.Blocks != nil {
		t.Errorf("%+v, %v", ev, err)
	}
}
