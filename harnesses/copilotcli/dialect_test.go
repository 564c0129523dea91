package copilotcli

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
		dialecttest.Named{Name: "workflow-server-next_activity", Tool: "next_activity"},
		dialecttest.Named{Name: "workflow-server-other-next"},
		dialecttest.Named{Name: "workflow-server-"},
		dialecttest.Named{Name: "next", Server: "workflow-server", Tool: "next"},
		dialecttest.Named{Name: "next", Server: "other"},
		dialecttest.Named{Name: "bash"},
	)
}

func TestAnswer(t *testing.T) {
	dialecttest.Silent(t, Dialect{}, `{"a": 1.0}`, `{"modifiedArgs":{"a": 1.0}}`)
}

// Structured content stands behind the text; what only looks like it is text.
func TestStructuredBehindTheText(t *testing.T) {
	for text, want := range map[string]string{
		`"a\n\n{\"b\":1}"`:           `{"b":1}`,
		`"a\n\n{\"b\":1} c"`:         "",
		`"{\"b\":1}"`:                `{"b":1}`,
		`"a\n\n{x\n\n{\"b\":\"c\"}"`: `{"b":"c"}`,
	} {
		ev, err := Dialect{}.Read([]byte(`{"toolName":"x","toolResult":{"resultType":"success","textResultForLlm":` + text + `}}`))
		if err != nil || ev.Kind != harnesses.After || string(ev.Result.Structured) != want {
			t.Errorf("%s: %s, %v", text, ev.Result.Structured, err)
		}
	}
}

func TestArgumentsAsAString(t *testing.T) {
	ev, err := Dialect{}.Read([]byte(`{"sessionId":"s","toolName":"x","toolArgs":"{\"a\":1}"}`))
	if err != nil || string(ev.Args) != `{"a":1}` || ev.Kind != harnesses.Before {
		t.Errorf("%+v, %v", ev, err)
	}
}
