package claudecode

import (
	"slices"
	"testing"

	"wsi/internal/testkit/codectest"
)

// The lines are shortened from recordings of 2.1.330. Older versions wrote sub-agents into the same file, and a
// summary without a boundary before it.
const recording = `{"type":"queue-operation","operation":"enqueue","sessionId":"s","content":"go"}
{"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":"go"},"uuid":"u1","sessionId":"s"}
{"parentUuid":"u1","isSidechain":false,"attachment":{"type":"date","date":"2026-11-22"},"type":"attachment","uuid":"u2","sessionId":"s"}
{"parentUuid":"u2","type":"assistant","uuid":"u3","message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"I look"},{"type":"tool_use","id":"c1","name":"mcp__shop__get_it","input":{"a":1}},{"type":"tool_use","id":"c2","name":"Bash","input":{"command":"ls"}}]}}
{"parentUuid":"u3","type":"user","uuid":"u4","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"it failed","is_error":true},{"type":"text","text":"and more"},{"type":"image"}]}}
{"parentUuid":"u4","type":"user","uuid":"u5","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c2","content":[{"type":"text","text":"done"}]}]},"mcpMeta":{"structuredContent":{"b":2}}}
{"type":"api-request-blob","sessionId":"s","message":{"role":"user","content":"all again"}}
{"parentUuid":"u5","type":"user","uuid":"u5b","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c3","content":"{\"c\":3}"}]}}
{"parentUuid":"u5","isSidechain":true,"agentId":"a1","type":"user","uuid":"u6","message":{"role":"user","content":"help"}}
{"parentUuid":null,"type":"system","subtype":"compact_boundary","uuid":"u7","compactMetadata":{"preservedMessages":{"uuids":["u5","u6"]}}}
{"parentUuid":"u7","type":"user","isCompactSummary":true,"uuid":"u8","message":{"role":"user","content":"in short"}}
{"parentUuid":"u8","type":"user","isCompactSummary":true,"uuid":"u9","message":{"role":"user","content":"shorter"}}
`

func TestHistory(t *testing.T) {
	want := []string{
		`told message=u1 "go"`,
		`told message=u2 {"type":"date","date":"2026-11-22"}`,
		`said message=u3 "I look"`,
		`called message=u3 id=c1 tool=shop/get_it args={"a":1}`,
		`said message=u3 {"command":"ls"}`,
		`returned message=u4 id=c1 failed block="it failed" "it failed"`,
		`told message=u4 "and more"`,
		`returned message=u5 id=c2 structured={"b":2} block="done" [{"type":"text","text":"done"}]`,
		`returned message=u5b id=c3 structured={"c":3} "{\"c\":3}"`,
		`told session=agent a1 message=u6 "help"`,
		`compacted message=u8 kept=[u5 u6] since= "in short"`,
		`compacted message=u9 "shorter"`,
	}
	got, skipped := codectest.Steps(t, Harness(), recording)
	if !slices.Equal(got, want) || len(skipped) > 0 {
		t.Errorf("skipped %q, %d steps, want %d", skipped, len(got), len(want))
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				t.Errorf("\n got %s\nwant %s", got[i], want[i])
			}
		}
	}
}

func TestBegins(t *testing.T) {
	for begin, want := range map[string]bool{
		recording: true, recording[:40]: false, recording[:len(recording)/9]: true,
		`{"type":"summary","summary":"x","leafUuid":"u"}` + "\n" + `{"parentUuid":null,"type":"user"`: true,
		`{"sessionId":"s","type":"user"}`:                            false,
		"not JSON\n":                                                 false,
		`[{"parentUuid":null,"sessionId":"s"}]`:                      false,
		`{"timestamp":"x","type":"session_meta","payload":{"id":"s"`: false,
		"": false,
	} {
		if got := begins([]byte(begin)); got != want {
			t.Errorf("%v for %.80s", got, begin)
		}
	}
}

func FuzzHistory(f *testing.F) { codectest.FuzzHistory(f, Harness(), recording) }
