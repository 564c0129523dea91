package claudecode

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wsi/harnesses/setup"
)

// Lines of 2.1.332, without members that are not read.
func TestReceipts(t *testing.T) {
	const begin, end = `{"parentUuid":null,"isSidechain":false,`, `"uuid":"u","timestamp":"2026-11-28T02:24:53.470Z","cwd":"/w","sessionId":"s"}`
	line := setup.Receipt{Line: "u", Time: time.Date(2026, 11, 28, 2, 24, 53, 470e6, time.UTC), Session: "s", Cwd: "/w"}
	one := func(change func(r *setup.Receipt)) []setup.Receipt {
		r := line
		change(&r)
		return []setup.Receipt{r}
	}
	run := func(o setup.Outcome, command string, status int, took time.Duration) []setup.Receipt {
		return one(func(r *setup.Receipt) {
			r.Outcome, r.Event, r.Tool, r.Call, r.Command, r.Status, r.Took = o, "PreToolUse", "Bash", "c1", command, status, took
		})
	}
	hook := func(members string) string {
		return begin + `"attachment":{"hookName":"PreToolUse:Bash","toolUseID":"c1","hookEvent":"PreToolUse",` + members + `},"type":"attachment",` + end
	}
	result := func(content string) string {
		return begin + `"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":` + content + `,"is_error":true,"tool_use_id":"c1"}]},` + end
	}
	commands := []string{"guard", "guard]: x", "a b ${HOME}"}
	for name, c := range map[string]struct {
		line string
		want []setup.Receipt
	}{
		"it talks":        {hook(`"type":"hook_success","content":"x","stdout":"x\n","exitCode":0,"command":"echo x","durationMs":73`), run(setup.Ran, "echo x", 0, 73*time.Millisecond)},
		"it fails":        {hook(`"type":"hook_non_blocking_error","stderr":"x","exitCode":127,"command":"/no/such","durationMs":7`), run(setup.Failed, "/no/such", 127, 7*time.Millisecond)},
		"it hangs":        {hook(`"type":"hook_cancelled","command":"sleep 30","durationMs":1023,"timedOut":true,"timeoutMs":1000`), run(setup.TimedOut, "sleep 30", 0, 1023*time.Millisecond)},
		"it is ended":     {hook(`"type":"hook_cancelled"`), run(setup.Stopped, "", 0, 0)},
		"it tells":        {hook(`"type":"hook_blocking_error","blockingError":{"blockingError":"[x]: y","command":"x"}`), run(setup.Blocked, "x", 0, 0)},
		"its context":     {hook(`"type":"hook_additional_context","content":["x"]`), nil},
		"it blocks":       {result(`"PreToolUse:Bash hook error: [guard]: no\n"`), run(setup.Blocked, "guard", 2, 0)},
		"in brackets":     {result(`"PreToolUse:Bash hook error: [guard]: x]: no\n"`), run(setup.Blocked, "guard]: x", 2, 0)},
		"with arguments":  {result(`"PreToolUse:Bash hook error: [a b ${HOME}]: No stderr output"`), run(setup.Blocked, "a b ${HOME}", 2, 0)},
		"another command": {result(`"PreToolUse:Bash hook error: [other]: no"`), nil},
		"a decision":      {result(`"PreToolUse:Bash hook error: why"`), nil},
		"an error":        {result(`"Exit code 1"`), nil},
		"a call": {
			begin + `"message":{"content":[{"type":"text","text":"x"},{"id":"c1","input":{"command":"true"},"name":"Bash","type":"tool_use"}]},"type":"assistant",` + end,
			one(func(r *setup.Receipt) { r.Outcome, r.Call, r.Tool = setup.Called, "c1", "Bash" }),
		},
		"an answer": {
			begin + `"type":"user","message":{"role":"user","content":[{"tool_use_id":"c1","type":"tool_result","content":"x"}]},` + end,
			one(func(r *setup.Receipt) { r.Outcome, r.Call = setup.Answered, "c1" }),
		},
		"the end of a turn": {
			begin + `"type":"system","subtype":"stop_hook_summary","hookInfos":[{"command":"true","durationMs":25}],"toolUseID":"c2",` + end,
			one(func(r *setup.Receipt) {
				r.Outcome, r.Event, r.Call, r.Command, r.Took = setup.Ran, "Stop", "c2", "true", 25*time.Millisecond
			}),
		},
		"a request":  {`{"type":"api-request-blob","message":{"content":[{"type":"tool_use"}]},` + end, nil},
		"a prompt":   {begin + `"type":"user","message":{"role":"user","content":"x"},` + end, nil},
		"no time":    {begin + `"type":"user","message":{},"uuid":"u"}`, nil},
		"half":       {begin + `"type":"user","mess`, nil},
		"not a list": {begin + `"type":"system","subtype":"stop_hook_summary","hookInfos":{"a":1},` + end, nil},
	} {
		if diff := cmp.Diff(c.want, receipts([]byte(c.line), commands)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}
