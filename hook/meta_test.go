package hook

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wsi/internal/jsonraw"
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

// batchOf returns an event after a batch of calls of next_activity with these ids. The model left session_index out.
func batchOf(transcript string, ids ...string) string {
	calls := make([]string, len(ids))
	for i, id := range ids {
		calls[i] = fmt.Sprintf(`{"tool_name":"mcp__workflow-server__next_activity","tool_input":{"activity_id":"a"},"tool_use_id":%q,"tool_response":[{"type":"text","text":"x"}]}`, id)
	}
	return fmt.Sprintf(`{"session_id":"S","transcript_path":%q,"hook_event_name":"PostToolBatch","tool_calls":[%s]}`, transcript, strings.Join(calls, ","))
}

// metaLine returns a transcript's line with the result of a call of workflow-server's session: a warning, and perhaps a
// trace token.
func metaLine(id, session, warning, trace string) string {
	if trace != "" {
		trace = `,"trace_token":` + string(jsonraw.Quote(trace))
	}
	return fmt.Sprintf(`{"type":"user","message":{"role":"user","content":[{"tool_use_id":%q,"type":"tool_result","content":"x"}]},"mcpMeta":{"_meta":{"session_index":%q,"validation":{"status":"warning","warnings":[%s]}%s}}}`+"\n",
		id, session, jsonraw.Quote(warning), trace)
}

func TestBatchWithATokenThatIsNotKept(t *testing.T) {
	w := newWorld(t)
	transcript := filepath.Join(w.home, "t.jsonl")
	write(t, transcript, metaLine("1", "K7Q2ZD", "no manifest", "not signed"))
	if w.run("capture", "claude-code", batchOf(transcript, "1")); w.last().Did != "shown" || !strings.Contains(w.last().Why, "a value does not have the form") {
		t.Errorf("%+v", w.last())
	}
	appendTo(t, transcript, metaLine("2", "K7Q2ZD", "no manifest", "not signed"))
	if w.run("capture", "claude-code", batchOf(transcript, "2")); w.last().Did != "left" || !strings.Contains(w.last().Why, "a value does not have the form") {
		t.Errorf("%+v", w.last())
	}
}

// The event has the arguments as the model wrote them, without the session that was put into the call (2.1.330).
func TestBatchShowsTheSameWarningOfTwoSessions(t *testing.T) {
	w := newWorld(t)
	transcript := filepath.Join(w.home, "t.jsonl")
	for i, c := range []struct {
		session string
		shown   bool
	}{{"K7Q2ZD", true}, {"K7Q2ZD", false}, {"AAAAAA", true}, {"K7Q2ZD", false}} {
		id := fmt.Sprint(i)
		appendTo(t, transcript, metaLine(id, c.session, "no manifest", ""))
		if got := w.run("capture", "claude-code", batchOf(transcript, id)); strings.Contains(got, "no manifest") != c.shown {
			t.Errorf("%d: the model reads %q", i, got)
		}
	}
}

// After the first calls of a sub-agent its transcript may not be there yet (2.1.330), but that of its session is. Only the
// sub-agent reads what its results say.
func TestBatchOfANewAgent(t *testing.T) {
	w := newWorld(t)
	session := filepath.Join(w.home, "s.jsonl")
	appendTo(t, session, "{}\n")
	of := func(agent, event string) string {
		return strings.Replace(event, `"session_id"`, `"agent_id":"`+agent+`","session_id"`, 1)
	}
	if got := w.run("capture", "claude-code", of("a1", batchOf(session, "1"))); got != "" {
		t.Errorf("the model reads %q", got)
	}
	folder := filepath.Join(w.home, "s", "subagents")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	appendTo(t, filepath.Join(folder, "agent-a1.jsonl"), metaLine("1", "K7Q2ZD", "no manifest", ""))
	for _, event := range []string{batchOf(session), of("a2", batchOf(session)), turnEnd("Stop", session, false)} {
		if got := w.run("capture", "claude-code", event); got != "" {
			t.Errorf("%s: another agent reads %q", event, got)
		}
	}
	got := w.run("capture", "claude-code", of("a1", turnEnd("SubagentStop", session, false)))
	if !strings.Contains(got, "no manifest") || !strings.Contains(got, `"hookEventName":"SubagentStop"`) {
		t.Errorf("the model reads %q: %+v", got, w.last())
	}
}

func TestBatchOfManyLongWarnings(t *testing.T) {
	w := newWorld(t)
	transcript := filepath.Join(w.home, "t.jsonl")
	var ids []string
	for i := range 8 {
		ids = append(ids, fmt.Sprint(i))
		appendTo(t, transcript, metaLine(ids[i], fmt.Sprint("ABCDE", i+2), fmt.Sprint(i)+strings.Repeat(" long", 380), ""))
	}
	got := w.run("capture", "claude-code", batchOf(transcript, ids...))
	if n := strings.Count(got, "adds (from _meta)"); n != 5 || !strings.Contains(got, "cut by wsi") || len(texts(t, got)) > maxBatch || w.last().Told != n || !strings.Contains(w.last().Why, "no room") {
		t.Errorf("%d of 8, %d bytes, %+v", n, len(got), w.last())
	}
	appendTo(t, transcript, metaLine("again", "ABCDE9", "7"+strings.Repeat(" long", 380), "")) // it was not shown
	if w.run("capture", "claude-code", batchOf(transcript, "again")); w.last().Told != 1 {
		t.Errorf("a warning for which there was no room: %+v", w.last())
	}
}

// A failed call was settled by the hook after it. When a batch finds its result, the journal says nothing else about it: a
// rule carries the value, but perhaps several sessions were open. A row about several calls names the one it is about.
func TestBatchOfAFailedCall(t *testing.T) {
	w := newWorld(t)
	transcript := filepath.Join(w.home, "t.jsonl")
	appendTo(t, transcript, `{"type":"user","message":{"role":"user","content":[{"tool_use_id":"1","type":"tool_result","is_error":true,"content":"Invalid arguments for tool next_activity: Required at session_index: required"}]}}`+"\n")
	if got := w.run("capture", "claude-code", batchOf(transcript, "1")); got != "" || len(w.journal()) > 0 {
		t.Errorf("the model reads %q, and the journal has %+v", got, w.journal())
	}
	w.run("capture", "claude-code", strings.ReplaceAll(batchOf(transcript, "2"), "next_activity", "get_activity"))
	appendTo(t, transcript, `{"type":"user","message":{"role":"user","content":[{"tool_use_id":"2","type":"tool_result","content":"x"}]},"mcpMeta":{"_meta":{"session_index":"K7Q2ZD"}}}`+"\n")
	appendTo(t, transcript, metaLine("3", "K7Q2ZD", "no manifest", ""))
	w.run("inject", "claude-code", claudePre("S", "", "3", "next_activity", transcript))
	call := w.last().Call
	w.run("capture", "claude-code", batchOf(transcript, "3"))
	if e := w.last(); e.Did != "shown" || e.Tool != "next_activity" || e.Call == "" || e.Call != call {
		t.Errorf("the warning of next_activity: %+v, and the call is %q", e, call)
	}
}

// tokenLine returns a transcript's line with trace token n. The harness got it n seconds after synctest's clock began.
func tokenLine(n int) string {
	when := time.Date(2000, 1, 1, 0, 0, n, 0, time.UTC).Format("2006-01-02T15:04:05.000Z")
	line := metaLine(fmt.Sprint(n), "K7Q2ZD", "no manifest", traceToken("K7Q2ZD", n))
	return strings.Replace(line, "{", fmt.Sprintf(`{"timestamp":%q,`, when), 1)
}

func traceTokens(n ...int) (all []string) {
	for _, n := range n {
		all = append(all, traceToken("K7Q2ZD", n))
	}
	return all
}

// A result that came after all waits is not given at first, and then it has its place. Codex, in which the session goes on, has no
// transcript to look in: its hook sees the result.
func TestACollectionIsInOrderAfterAResultThatCameTooLate(t *testing.T) {
	inTime(t, func(w *world, transcript string) {
		w.run("capture", "claude-code", batchOf(transcript, "1"))
		time.Sleep(5 * time.Second)
		w.run("capture", "codex", fmt.Sprintf(`{"session_id":"c","cwd":"/","hook_event_name":"PostToolUse","tool_name":"mcp__workflow_server__next_activity","tool_use_id":"c1","tool_input":{"session_index":"K7Q2ZD"},"tool_response":{"content":[],"_meta":%s}}`, nextMeta("K7Q2ZD", 5, "")))
		if got := gathered(w.t, w.run("inject", "claude-code", getTrace("S", transcript))); !slices.Equal(got, traceTokens(5)) {
			w.t.Errorf("the call has %q", got)
		}
		appendTo(w.t, transcript, tokenLine(1))
		if got := gathered(w.t, w.run("inject", "claude-code", getTrace("other", transcript))); !slices.Equal(got, traceTokens(1, 5)) {
			w.t.Errorf("the next call has %q", got)
		}
	})
}

// A batch that the user interrupts, or whose hook is killed, has had hooks after its calls. They remember the calls.
func TestABatchWithoutItsHookLosesNothing(t *testing.T) {
	inTime(t, func(w *world, transcript string) {
		post := func(event string) string {
			return w.run("capture", "claude-code", strings.Replace(claudePost("S", "", "1", "next_activity", transcript, `{"session_index":"K7Q2ZD"}`, `[{"type":"text","text":"x"}]`), `"PostToolUse"`, event, 1))
		}
		if got := post(`"PostToolUse"`); got != "" {
			w.t.Errorf("answer %s", got)
		}
		go func() {
			time.Sleep(40 * time.Millisecond)
			appendTo(w.t, transcript, tokenLine(1))
		}()
		if got := gathered(w.t, w.run("inject", "claude-code", getTrace("S", transcript))); !slices.Equal(got, traceTokens(1)) {
			w.t.Errorf("a call of the same batch has %q", got)
		}
		if got := w.run("capture", "claude-code", batchOf(transcript, "1")); !strings.Contains(got, "no manifest") || strings.Count(got, "manifest") != 1 || w.last().Kept != 0 {
			w.t.Errorf("the model reads %s: %+v", got, w.last())
		}
		if got := w.run("capture", "claude-code", turnEnd("Stop", transcript, false)); got != "" {
			w.t.Errorf("again: %s", got)
		}
	})
}
