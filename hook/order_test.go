package hook

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// came says in a transcript's line when the harness got the result.
func came(line string, at int) string {
	when := time.Date(2000, 1, 1, 0, 0, at, 0, time.UTC).Format("2006-01-02T15:04:05.000Z") // where synctest's clock begins
	return strings.Replace(line, "{", fmt.Sprintf(`{"timestamp":%q,`, when), 1)
}

// tokenLine returns a transcript's line with trace token n, which came n seconds after the beginning.
func tokenLine(n int) string {
	return came(metaLine(fmt.Sprint(n), "K7Q2ZD", "no manifest", traceToken("K7Q2ZD", n)), n)
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
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		transcript := filepath.Join(w.home, "t.jsonl")
		appendTo(t, transcript, "{}\n")
		w.run("capture", "claude-code", batchOf(transcript, "1"))
		time.Sleep(5 * time.Second)
		w.run("capture", "codex", fmt.Sprintf(`{"session_id":"c","cwd":"/","hook_event_name":"PostToolUse","tool_name":"mcp__workflow_server__next_activity","tool_use_id":"c1","tool_input":{"session_index":"K7Q2ZD"},"tool_response":{"content":[],"_meta":%s}}`, nextMeta("K7Q2ZD", 5, "")))
		if got := gathered(t, w.run("inject", "claude-code", getTrace("S", transcript))); !slices.Equal(got, traceTokens(5)) {
			t.Errorf("the call has %q", got)
		}
		appendTo(t, transcript, tokenLine(1))
		if got := gathered(t, w.run("inject", "claude-code", getTrace("another", transcript))); !slices.Equal(got, traceTokens(1, 5)) {
			t.Errorf("the next call has %q", got)
		}
	})
}

// A batch that the user interrupts, or whose hook is killed, has had hooks after its calls. They remember the calls.
func TestABatchWithoutItsHookLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		transcript := filepath.Join(w.home, "t.jsonl")
		appendTo(t, transcript, "{}\n")
		post := func(event string) string {
			return w.run("capture", "claude-code", strings.Replace(claudePost("S", "", "1", "next_activity", transcript, `{"session_index":"K7Q2ZD"}`, `[{"type":"text","text":"x"}]`), `"PostToolUse"`, event, 1))
		}
		if got := post(`"PostToolUse"`); got != "" {
			t.Errorf("answer %s", got)
		}
		go func() {
			time.Sleep(40 * time.Millisecond)
			appendTo(t, transcript, tokenLine(1))
		}()
		if got := gathered(t, w.run("inject", "claude-code", getTrace("S", transcript))); !slices.Equal(got, traceTokens(1)) {
			t.Errorf("a call of the same batch has %q", got)
		}
		if got := w.run("capture", "claude-code", batchOf(transcript, "1")); !strings.Contains(got, "no manifest") || strings.Count(got, "manifest") != 1 || w.last().Kept != 0 {
			t.Errorf("the model reads %s: %+v", got, w.last())
		}
		if got := w.run("capture", "claude-code", turnEnd("Stop", transcript, false)); got != "" {
			t.Errorf("again: %s", got)
		}
	})
}
