package copilotcli

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
		{"workflow-server-next_activity", "", "next_activity"},
		{"workflow-server-other-next", "", ""},
		{"workflow-server-", "", ""},
		{"next", "workflow-server", "next"},
		{"next", "other", ""},
		{"bash", "", ""},
	} {
		tool, ok := Dialect{}.Tool(harnesses.Event{Name: c.name, Server: c.told}, "workflow-server")
		if ok != (c.tool != "") || ok && tool != c.tool {
			t.Errorf("%+v: %q %v", c, tool, ok)
		}
	}
}

func TestAnswer(t *testing.T) {
	got := string(Dialect{}.Answer(carry.Change{Args: []byte(`{"a": 1.0}`)}))
	if got != `{"modifiedArgs":{"a": 1.0}}`+"\n" || len((Dialect{}).Nothing()) > 0 {
		t.Error(got)
	}
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
