package hook

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wsi/internal/jsonraw"
)

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
