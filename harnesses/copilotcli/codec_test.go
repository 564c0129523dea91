package copilotcli

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
		codectest.Named{Name: "workflow-server-next_activity", Tool: "next_activity"},
		codectest.Named{Name: "workflow-server-other-next"},
		codectest.Named{Name: "workflow-server-"},
		codectest.Named{Name: "next", Server: "workflow-server", Tool: "next"},
		codectest.Named{Name: "next", Server: "other"},
		codectest.Named{Name: "bash"},
	)
}

func TestAnswer(t *testing.T) {
	codectest.Silent(t, Codec{}, `{"a": 1.0}`, `{"modifiedArgs":{"a": 1.0}}`)
}

// Structured content stands behind the text; what only looks like it is text.
func TestStructuredBehindTheText(t *testing.T) {
	for text, want := range map[string]string{
		`"a\n\n{\"b\":1}"`:           `{"b":1}`,
		`"a\n\n{\"b\":1} c"`:         "",
		`"{\"b\":1}"`:                `{"b":1}`,
		`"a\n\n{x\n\n{\"b\":\"c\"}"`: `{"b":"c"}`,
	} {
		ev, err := Codec{}.Read([]byte(`{"toolName":"x","toolResult":{"resultType":"success","textResultForLlm":` + text + `}}`))
		if err != nil || ev.Kind != harnesses.After || string(ev.Result.Structured) != want {
			t.Errorf("%s: %s, %v", text, ev.Result.Structured, err)
		}
	}
}

func TestArgumentsAsAString(t *testing.T) {
	ev, err := Codec{}.Read([]byte(`{"sessionId":"s","toolName":"x","toolArgs":"{\"a\":1}"}`))
	if err != nil || string(ev.Args) != `{"a":1}` || ev.Kind != harnesses.Before {
		t.Errorf("%+v, %v", ev, err)
	}
}
