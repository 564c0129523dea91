package claudecode

import (
	"os"
	"testing"
	"time"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/internal/testkit/codectest"
)

func TestRecordedEvents(t *testing.T) { codectest.Golden(t, Dialect(), "workflow-server") }

func TestAnswers(t *testing.T) { codectest.Answers(t, Dialect()) }

func FuzzRead(f *testing.F) { codectest.Fuzz(f, Dialect(), "workflow-server") }

func TestTranscriptLines(t *testing.T) {
	for file, want := range map[string]struct {
		id     string
		failed bool
		found  bool
	}{
		"2.1.197/transcript-line-mcpMeta.json":          {"toolu_lab0001", false, true},
		"2.1.197/transcript-line-mcpMeta-iserror.json":  {"toolu_lab0002", true, true},
		"2.1.329/transcript-line-mcpMeta-iserror.json":  {"toolu_lab0002", true, true},
		"2.1.329/transcript-line-mcpMeta-subagent.json": {"toolu_lab0003", false, true},
		"2.1.197/transcript-line-hook-success.json":     {"toolu_lab0002", false, false},
	} {
		line, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		r, found := Codec{}.Line(line, want.id)
		if found != want.found || r.Error != want.failed || found && time.UnixMilli(r.Came).UTC().Format(time.DateOnly) != "2026-11-20" {
			t.Errorf("%s: found %v, error %v, came %d", file, found, r.Error, r.Came)
		}
		rule := codectest.Token("workflow-server")
		if d := carry.After(&rule, new(carry.State), carry.Call{Tool: "get_activity"}, r); found && len(d.Value) != 480 {
			t.Errorf("%s: value of %d characters, want 480", file, len(d.Value))
		}
		if _, found := (Codec{}).Line(line, "toolu_other"); found {
			t.Errorf("%s: read as the result of another call", file)
		}
	}
}

// 2.1.197 writes the line of a sub-agent's call without mcpMeta; so does 2.1.329 for a result that
// has no _meta.
func TestTranscriptLineThatHidesMeta(t *testing.T) {
	for line, hidden := range map[string]bool{
		`{"isSidechain":true,"agentId":"a1","message":{"content":[{"tool_use_id":"t1","type":"tool_result","content":"x"}]}}`:              true,
		`{"isSidechain":false,"message":{"content":[{"tool_use_id":"t1","type":"tool_result","content":"x"}]}}`:                            false,
		`{"isSidechain":true,"mcpMeta":{"_meta":{"a":1}},"message":{"content":[{"tool_use_id":"t1","type":"tool_result","content":"x"}]}}`: false,
	} {
		if r, found := (Codec{}).Line([]byte(line), "t1"); !found || r.Hidden != hidden || len(r.Blocks) != 1 || string(r.Blocks[0].Text) != `"x"` {
			t.Errorf("%s\nfound %v, hidden %v, want %v", line, found, r.Hidden, hidden)
		}
	}
}

func TestTranscriptOfSubAgent(t *testing.T) {
	ev := harnesses.Event{File: "/p/s.jsonl", Agent: "a1"}
	if got := (Codec{}).Transcripts(ev); len(got) != 1 || got[0] != "/p/s/subagents/agent-a1.jsonl" {
		t.Errorf("transcripts %v", got)
	}
	ev.Agent = "../../../etc/passwd"
	if got := (Codec{}).Transcripts(ev); got != nil {
		t.Errorf("an agent id leads to %v", got)
	}
}

func TestToolOfServer(t *testing.T) {
	codectest.Tools(t, Codec{}, [][4]string{
		{"mcp__workflow-server__next", "", "workflow-server", "next"},
		{"mcp__workflow-server__next", "workflow-server", "workflow-server", "next"},
		{"mcp__workflow-server__next", "other", "workflow-server", ""},
		{"mcp__my_server__next", "my server", "my server", "next"},
		{"mcp__my_server__next", "my.server", "my server", ""},
		{"mcp___n___next", "", "ünï", "next"},
		{"mcp__plugin_p_workflow-server__next", "", "workflow-server", "next"},
		{"mcp__plugin_p_workflow-server__next", "plugin:p:workflow-server", "workflow-server", "next"},
		{"mcp__plugin_p_workflow-server__next", "plugin:p:other", "workflow-server", ""},
		{"mcp__plugin_evil_b__foo_workflow-server__x", "", "workflow-server", ""}, // tool foo_... of server b
		{"mcp__plugin_evil___workflow-server__leak", "", "workflow-server", ""},
		{"mcp__plugin__workflow-server__leak", "", "workflow-server", ""},
		{"mcp__workflow-server__x__next", "", "workflow-server", ""},
		{"mcp__workflow_server__next", "", "workflow-server", ""},
		{"mcp__workflow-server__", "", "workflow-server", ""},
		{"mcp__xworkflow-server__next", "", "workflow-server", ""},
		{"Bash", "", "workflow-server", ""},
	})
}
