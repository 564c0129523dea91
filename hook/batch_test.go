package hook

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"wsi/internal/rawjson"
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
		trace = `,"trace_token":` + string(rawjson.Quote(trace))
	}
	return fmt.Sprintf(`{"type":"user","message":{"role":"user","content":[{"tool_use_id":%q,"type":"tool_result","content":"x"}]},"mcpMeta":{"_meta":{"session_index":%q,"validation":{"status":"warning","warnings":[%s]}%s}}}`+"\n",
		id, session, rawjson.Quote(warning), trace)
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

func TestBatchOfManyLongWarnings(t *testing.T) {
	w := newWorld(t)
	transcript := filepath.Join(w.home, "t.jsonl")
	var ids []string
	for i := range 8 {
		ids = append(ids, fmt.Sprint(i))
		appendTo(t, transcript, metaLine(ids[i], "K7Q2ZD", fmt.Sprint(i)+strings.Repeat(" long", 380), ""))
	}
	got := w.run("capture", "claude-code", batchOf(transcript, ids...))
	if n := strings.Count(got, "adds (from _meta)"); n != 4 || len(got) > maxBatch+200 || w.last().Told != n || !strings.Contains(w.last().Why, "no room") {
		t.Errorf("%d of 8, %d bytes, %+v", n, len(got), w.last())
	}
}
