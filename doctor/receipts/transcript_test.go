package receipts

import (
	"fmt"
	"testing"
)

// Lines of Claude Code 2.1.332, without members that are not read, after a call of Bash.
func TestLines(t *testing.T) {
	const begin, end = `{"parentUuid":null,"isSidechain":false,`, `"uuid":"u","timestamp":"2026-11-28T02:24:53.470Z","cwd":"/w","sessionId":"s"}`
	hook := func(members string) string {
		return begin + `"attachment":{"hookName":"PreToolUse:Bash","toolUseID":"c1","hookEvent":"PreToolUse",` + members + `},"type":"attachment",` + end
	}
	result := func(content string) string {
		return begin + `"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":` + content + `,"is_error":true,"tool_use_id":"c1"}]},` + end
	}
	commands := map[string]bool{"guard": true, "guard]: x": true, "a b ${HOME}": true, "c": true}
	for name, c := range map[string]struct{ line, want string }{
		"it talks":        {hook(`"type":"hook_success","content":"x","stdout":"x\n","exitCode":0,"command":"c","durationMs":73`), "PreToolUse c: 1 run, OK, 73ms"},
		"it fails":        {hook(`"type":"hook_non_blocking_error","stderr":"x","exitCode":127,"command":"c","durationMs":7`), "PreToolUse c: 1 run, failed 127, 7ms"},
		"it hangs":        {hook(`"type":"hook_cancelled","command":"c","durationMs":1023,"timedOut":true,"timeoutMs":1000`), "PreToolUse c: 1 run, timed out, 1.023s"},
		"it is ended":     {hook(`"type":"hook_cancelled"`), "1 stopped"},
		"it tells":        {hook(`"type":"hook_blocking_error","blockingError":{"blockingError":"[c]: y","command":"c"}`), "PreToolUse c: 1 run, blocked"},
		"its context":     {hook(`"type":"hook_additional_context","content":["x"]`), ""},
		"of another":      {hook(`"type":"hook_success","content":"x","command":"d"`), ""},
		"without a name":  {hook(`"type":"hook_non_blocking_error","exitCode":0`), ""},
		"it blocks":       {result(`"PreToolUse:Bash hook error: [guard]: no\n"`), "PreToolUse guard: 1 run, blocked Bash"},
		"in brackets":     {result(`"PreToolUse:Bash hook error: [guard]: x]: no\n"`), "PreToolUse guard]: x: 1 run, blocked Bash"},
		"with arguments":  {result(`"PreToolUse:Bash hook error: [a b ${HOME}]: No stderr output"`), "PreToolUse a b ${HOME}: 1 run, blocked Bash"},
		"another tool":    {result(`"PreToolUse:Read hook error: [guard]: no"`), ""},
		"another command": {result(`"PreToolUse:Bash hook error: [other]: no"`), ""},
		"a decision":      {result(`"PreToolUse:Bash hook error: why"`), ""},
		"an error":        {result(`"Exit code 1"`), ""},
		"a list":          {result(`[{"type":"text","text":"PreToolUse:Bash hook error: [guard]: no"}]`), ""},
		"a call":          {begin + `"message":{"content":[{"type":"text","text":"x"},{"id":"c2","input":{"command":"true"},"name":"Read","type":"tool_use"}]},"type":"assistant",` + end, "Read called"},
		"an answer":       {begin + `"type":"user","message":{"role":"user","content":[{"tool_use_id":"c1","type":"tool_result","content":"x"}]},` + end, "Bash answered"},
		"a turn's end":    {begin + `"type":"system","subtype":"stop_hook_summary","hookInfos":[{"command":"c","durationMs":25}],"toolUseID":"c2",` + end, "Stop c: 1 run, OK, 25ms"},
		"a request":       {`{"type":"api-request-blob","message":{"content":[{"id":"c2","name":"Read","type":"tool_use"}]},` + end, ""},
		"a prompt":        {begin + `"type":"user","message":{"role":"user","content":"x"},` + end, ""},
		"no time":         {begin + `"type":"user","message":{},"uuid":"u"}`, ""},
		"half":            {begin + `"type":"user","mess`, ""},
		"not a list":      {begin + `"type":"system","subtype":"stop_hook_summary","hookInfos":{"a":1},` + end, ""},
	} {
		tally := newTally()
		tally.Tools["Bash"], tally.calls["c1"] = &Calls{}, call{"Bash", noon}
		if l, ok := parse([]byte(c.line)); ok {
			tally.add(l, "f", commands)
		}
		if got := said(tally); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// said returns what a tally of one line says.
func said(t Tally) (text string) {
	for hook, n := range t.Runs {
		text = fmt.Sprintf("%s %s: %d run", hook.Event, hook.Command, n.Count)
		switch {
		case n.TimedOut:
			text += ", timed out"
		case n.Failed > 0:
			text += fmt.Sprint(", failed ", n.Status)
		case n.Blocked > 0 && n.Guard != "":
			text += ", blocked " + n.Guard
		case n.Blocked > 0:
			text += ", blocked"
		case !n.OK.IsZero():
			text += ", OK"
		}
		if n.Median() > 0 {
			text += ", " + n.Median().String()
		}
	}
	for name, c := range t.Tools {
		if len(c.Times) > 0 {
			text += name + " called"
		} else if !c.Clean.IsZero() {
			text += name + " answered"
		}
	}
	if t.Stops["PreToolUse"] > 0 {
		text += "1 stopped"
	}
	return text
}
