package cursor

import (
	"testing"

	"wsi/harnesses"
	"wsi/internal/testkit/codectest"
)

func TestRecordedEvents(t *testing.T) { codectest.Golden(t, Dialect(), "workflow-server") }

func TestAnswers(t *testing.T) { codectest.Answers(t, Dialect()) }

func FuzzRead(f *testing.F) { codectest.Fuzz(f, Dialect(), "workflow-server") }

func TestToolOfServer(t *testing.T) {
	for _, c := range []struct {
		name, told, tool string
	}{
		{"MCP:next", "", "next"},
		{"next", "workflow-server", "next"},
		{"next", "other", ""},
		{"MCP:workflow-server__next", "", "next"},
		{"MCP:workflow-server:next", "", "next"},
		{"MCP:other__next", "", ""},
		{"MCP:other:next", "", ""},
		{"Shell", "", ""},
	} {
		ev := harnesses.Event{Name: c.name, Server: c.told}
		tool, ok := Codec{}.Tool(ev, "workflow-server")
		if ok && tool != c.tool || ok != (c.tool != "") {
			t.Errorf("%s told %q: %q %v", c.name, c.told, tool, ok)
		}
	}
}
