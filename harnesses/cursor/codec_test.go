package cursor

import (
	"testing"

	"wsi/internal/testkit/codectest"
)

func TestRecordedEvents(t *testing.T) { codectest.Golden(t, Dialect(), "workflow-server") }

func TestAnswers(t *testing.T) { codectest.Answers(t, Dialect()) }

func FuzzRead(f *testing.F) { codectest.Fuzz(f, Dialect(), "workflow-server") }

func TestToolOfServer(t *testing.T) {
	codectest.Tools(t, Codec{}, [][4]string{
		{"MCP:next", "", "workflow-server", "next"},
		{"next", "workflow-server", "workflow-server", "next"},
		{"next", "other", "workflow-server", ""},
		{"MCP:workflow-server__next", "", "workflow-server", "next"},
		{"MCP:workflow-server:next", "", "workflow-server", "next"},
		{"MCP:other__next", "", "workflow-server", ""},
		{"MCP:other:next", "", "workflow-server", ""},
		{"Shell", "", "workflow-server", ""},
	})
}
