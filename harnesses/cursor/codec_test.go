package cursor

import (
	"testing"

	"wsi/harnesses"
	"wsi/internal/testkit/codectest"
)

func TestRecordedEvents(t *testing.T) { codectest.Golden(t, Codec{}, "workflow-server") }

func TestAnswers(t *testing.T) { codectest.Answers(t, Codec{}, Simulator{}) }

func FuzzRead(f *testing.F) { codectest.Fuzz(f, Codec{}, "workflow-server") }

func TestToolOfServer(t *testing.T) {
	for _, c := range []struct {
		name, told, tool string
		anonymous        bool
	}{
		{"MCP:next", "", "next", true},
		{"next", "workflow-server", "next", false},
		{"next", "other", "", false},
		{"MCP:workflow-server__next", "", "next", true},
		{"MCP:workflow-server:next", "", "next", true},
		{"MCP:other__next", "", "", true},
		{"MCP:other:next", "", "", true},
		{"Shell", "", "", true},
	} {
		ev := harnesses.Event{Name: c.name, Server: c.told}
		tool, ok := Codec{}.Tool(ev, "workflow-server")
		if ok && tool != c.tool || ok != (c.tool != "") || (Codec{}).Anonymous(ev) != c.anonymous {
			t.Errorf("%s told %q: %q %v", c.name, c.told, tool, ok)
		}
	}
}
