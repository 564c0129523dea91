package claudecode

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"wsi/harnesses"
)

// The lines of a session of each version: SessionStart, UserPromptSubmit and Stop have a hook that prints, one that fails and
// a silent one; PreToolUse has a silent one and four that print; one of PostToolUse blocks, one answers, one takes too long.
func TestHookRuns(t *testing.T) {
	for _, c := range []struct{ version, want string }{
		{"2.1.197", `SessionStart echo start-err >&2; exit 1 604ms failed
SessionStart echo start-out 604ms
UserPromptSubmit exit 3 83ms failed
UserPromptSubmit echo submit-out 83ms
PreToolUse echo pre-out 201ms
PreToolUse echo '{}' # pre-json 201ms
PreToolUse echo # pre-rewrite 231ms
PreToolUse sleep 0.2; echo # pre-message 399ms
PostToolUse echo post-block >&2; exit 2 0s
PostToolUse echo # post-context 12ms
PreToolUse echo '{}' # pre-json 70ms
PreToolUse echo pre-out 70ms
PreToolUse echo # pre-rewrite 73ms
PreToolUse sleep 0.2; echo # pre-message 274ms
Stop exit 4 # stop-fail 63ms failed
Stop echo stop-out 63ms
`},
		{"2.1.330", `SessionStart echo start-out 247ms
SessionStart echo start-block >&2; exit 2 0s failed
SessionStart echo start-err >&2; exit 1 295ms failed
UserPromptSubmit echo submit-out 91ms
UserPromptSubmit exit 3 86ms failed
PreToolUse echo pre-out 91ms
PreToolUse echo '{}' # pre-json 92ms
PreToolUse echo # pre-rewrite 94ms
PreToolUse sleep 0.2; echo # pre-message 282ms
PostToolUse echo # post-context 13ms
PostToolUse echo post-block >&2; exit 2 0s
PreToolUse echo pre-out 21ms
PreToolUse echo # pre-rewrite 19ms
PreToolUse echo '{}' # pre-json 30ms
PreToolUse sleep 0.2; echo # pre-message 234ms
Stop exit 4 # stop-fail 44ms failed
Stop echo stop-out 53ms
Stop true stop-silent 78ms
`},
	} {
		content, err := os.ReadFile("testdata/" + c.version + "/hookruns.jsonl")
		if err != nil {
			t.Fatal(err)
		}
		if got := runsOf(t, content, 0); got != c.want {
			t.Errorf("%s: got\n%s", c.version, got)
		}
		_, rest, _ := bytes.Cut(content, []byte("\n"))
		if got := runsOf(t, content, int64(len(content)-len(rest))); got != c.want[strings.Index(c.want, "\n")+1:] {
			t.Errorf("%s, from the second line: got\n%s", c.version, got)
		}
	}
}

// A line that is not what was seen is no run, and stops nothing.
func TestHookRunsOfOddLines(t *testing.T) {
	lines := `{"type":"attachment","timestamp":"2026-11-22T00:00:00Z","attachment":5}
{"type":"attachment","timestamp":"yesterday","attachment":{"type":"hook_success","hookEvent":"Stop","command":"a"}}
{"type":"attachment","timestamp":"2026-11-22T00:00:00Z","attachment":{"type":"hook_success","hookEvent":"Stop","command":7}}
{"type":"system","subtype":"stop_hook_summary","timestamp":"2026-11-22T00:00:00Z","hookInfos":[5,{"command":"b","durationMs":-1}]}
not JSON
{"type":"attachment","timestamp":"2026-11-22T00:00:00Z","attachment":{"type":"hook_success","hookEvent":"Setup","command":"c","durationMs":1e99}}`
	if got := runsOf(t, []byte(lines), 0); got != "Stop b 0s\nSetup c 0s\n" {
		t.Errorf("got\n%s", got)
	}
}

// runsOf returns a line for each run. What JSON a command prints is left out.
func runsOf(t *testing.T, content []byte, from int64) string {
	t.Helper()
	var b strings.Builder
	err := hookRuns(harnesses.Recording{File: bytes.NewReader(content), Size: int64(len(content))}, from, func(r harnesses.HookRun) {
		command := r.Command
		if before, rest, ok := strings.Cut(command, `'{"`); ok {
			_, after, _ := strings.Cut(rest, "' ")
			command = before + after
		}
		fmt.Fprint(&b, r.Event, " ", command, " ", r.Took)
		if r.Failed {
			b.WriteString(" failed")
		}
		b.WriteString("\n")
		if r.At.IsZero() {
			t.Errorf("%s has no time", command)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
