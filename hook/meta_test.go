package hook

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// traceToken returns a trace token of a session, in the form of workflow-server (cd11b63f).
func traceToken(index string, n int) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"sid":%q,"from":%d,"to":%d,"events":[]}`, index, n, n+1)) + "." + strings.Repeat("0f", 32)
}

const warns = `"validation":{"status":"warning","warnings":["step_manifest is missing"]}`

// added is what the model reads of warns.
const added = "workflow-server adds (from _meta):\nvalidation: {\"status\":\"warning\",\"warnings\":[\"step_manifest is missing\"]}"

// nextMeta returns the _meta of a result of next_activity.
func nextMeta(index string, n int, more string) string {
	return fmt.Sprintf(`{"session_index":%q,"trace_token":%q%s}`, index, traceToken(index, n), more)
}

// texts returns what the model gets to read of a hook's answer.
func texts(t *testing.T, answer string) string {
	t.Helper()
	var a struct {
		HookSpecificOutput struct{ AdditionalContext string }
		Add                string
	}
	if answer == "" {
		return ""
	}
	if err := json.Unmarshal([]byte(answer), &a); err != nil {
		t.Fatalf("%q: %v", answer, err)
	}
	return a.HookSpecificOutput.AdditionalContext + a.Add
}

// gathered returns the trace_tokens that a hook puts into a call.
func gathered(t *testing.T, answer string) (tokens []string) {
	t.Helper()
	var a struct {
		HookSpecificOutput struct {
			UpdatedInput struct {
				Tokens []string `json:"trace_tokens"`
			}
		}
		Set struct {
			Tokens []string `json:"trace_tokens"`
		}
	}
	if err := json.Unmarshal([]byte(answer), &a); err != nil {
		t.Fatalf("%q: %v", answer, err)
	}
	return append(a.HookSpecificOutput.UpdatedInput.Tokens, a.Set.Tokens...)
}

func TestMetaInCodex(t *testing.T) {
	w := newWorld(t)
	after := func(index, meta string) string {
		return w.run("capture", "codex", fmt.Sprintf(`{"session_id":"s","cwd":"/","hook_event_name":"PostToolUse","tool_name":"mcp__workflow_server__next_activity","tool_use_id":"c1","tool_input":{"session_index":%q},"tool_response":{"content":[{"type":"text","text":"next"}],"_meta":%s}}`, index, meta))
	}
	trace := func(session, args string) string {
		return w.run("inject", "codex", fmt.Sprintf(`{"session_id":%q,"cwd":"/","hook_event_name":"PreToolUse","tool_name":"mcp__workflow_server__get_trace","tool_use_id":"c2","tool_input":%s}`, session, args))
	}
	if got := texts(t, after("K7Q2ZD", nextMeta("K7Q2ZD", 0, ","+warns))); got != added {
		t.Errorf("the model reads %q", got)
	}
	if again := after("K7Q2ZD", nextMeta("K7Q2ZD", 1, ","+warns)); again != "" {
		t.Errorf("the same warning again: %s", again)
	}
	if e := w.last(); e.Did != "kept" || e.Why != "" { // not why nothing was captured
		t.Errorf("%+v", e)
	}
	after("ABCDEF", nextMeta("ABCDEF", 0, ""))
	want := []string{traceToken("K7Q2ZD", 0), traceToken("K7Q2ZD", 1)}
	for _, args := range []string{`{"session_index":"K7Q2ZD"}`, `{"session_index":"K7Q2ZD","trace_tokens":[]}`} {
		for _, session := range []string{"s", "another conversation"} {
			if got := gathered(t, trace(session, args)); !slices.Equal(got, want) {
				t.Errorf("%s: %d tokens: %q", args, len(got), got)
			}
		}
	}
	if got := trace("s", `{"session_index":"ZZZZZZ","trace_tokens":[]}`); got != "" {
		t.Errorf("a session of which nothing is kept: %s", got)
	}
}

// Claude Code shows hooks no _meta, and writes it to the transcript up to 100 ms later. The hook after a batch of calls does not
// wait for it: the next one of the session shows it, whatever was called.
func TestMetaInClaudeCode(t *testing.T) {
	w := newWorld(t)
	transcript := filepath.Join(w.home, "s1.jsonl")
	appendTo(t, transcript, "{}\n")
	batch := func(tool string, ids ...string) string {
		var calls []string
		for _, id := range ids {
			calls = append(calls, fmt.Sprintf(`{"tool_name":%q,"tool_use_id":%q,"tool_input":{"session_index":"K7Q2ZD"},"tool_response":[{"type":"text","text":"next"}]}`, tool, id))
		}
		return w.run("capture", "claude-code", fmt.Sprintf(`{"session_id":"s1","transcript_path":%q,"hook_event_name":"PostToolBatch","tool_calls":[%s]}`, transcript, strings.Join(calls, ",")))
	}
	line := func(id, meta string) string {
		return fmt.Sprintf(`{"type":"user","message":{"role":"user","content":[{"tool_use_id":%q,"type":"tool_result","content":"next"}]},"mcpMeta":{"_meta":%s}}`+"\n", id, meta)
	}
	const next = "mcp__workflow-server__next_activity"
	if got := batch(next, "toolu_1", "toolu_2") + batch("Bash", "toolu_b"); got != "" || len(w.journal()) > 0 {
		t.Errorf("before the transcript has the results: %q, %+v", got, w.journal())
	}
	appendTo(t, transcript, line("toolu_1", nextMeta("K7Q2ZD", 0, ","+warns))+line("toolu_2", nextMeta("K7Q2ZD", 1, ","+warns)))
	if got := batch("Bash", "toolu_3"); texts(t, got) != added+"\n" || !strings.Contains(got, `"hookEventName":"PostToolBatch"`) {
		t.Errorf("answer %s", got)
	}
	if e := w.last(); e.Kept != 2 || e.Told != 1 || e.Did != "kept" || e.Tool != "next_activity" || e.Waited != 0 {
		t.Errorf("%+v", e)
	}
	if got := batch("Bash", "toolu_4"); got != "" || len(w.journal()) != 1 {
		t.Errorf("it was shown: %q, %+v", got, w.journal())
	}
	answer := w.run("inject", "claude-code", strings.Replace(claudePre("s1", "", "toolu_5", "get_trace", transcript), `"tool_input":{`, `"tool_input":{"session_index":"K7Q2ZD","trace_tokens":[],`, 1))
	if got := gathered(t, answer); !slices.Equal(got, []string{traceToken("K7Q2ZD", 0), traceToken("K7Q2ZD", 1)}) {
		t.Errorf("%s", answer)
	}
}
