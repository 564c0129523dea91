package claudecode

import (
	"bytes"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"wsi/harnesses/setup"
	"wsi/internal/jsonraw"
)

// records returns Claude Code's transcripts, one for each session and, in a folder next to it, each sub-agent. They have no line for a
// hook that succeeds without a word, but at the end of a turn (2.1.332; 2.1.197 has none there either), and none for a hook of SessionEnd.
func records(env setup.Env) setup.Records {
	return setup.Records{
		Folder: filepath.Join(locate(env).ConfigHome, "projects"),
		Marks:  []string{`"type":"tool_use"`, `"type":"tool_result"`, `"hookEvent":"`, `"subtype":"stop_hook_summary"`},
		Events: []string{"PreToolUse", "PostToolUse"},
		Read:   receipts,
	}
}

// receipts returns what a line of a transcript says.
func receipts(line []byte, commands []string) []setup.Receipt {
	if bytes.HasPrefix(line, []byte(`{"type":"api-request`)) { // what was sent to the model, with every message so far
		return nil
	}
	m, err := jsonraw.Object(line)
	if err != nil {
		return nil
	}
	at, err := time.Parse(time.RFC3339, text(m, "timestamp"))
	if err != nil {
		return nil
	}
	r := setup.Receipt{Line: text(m, "uuid"), Time: at, Session: text(m, "sessionId"), Cwd: text(m, "cwd")}
	switch text(m, "type") {
	case "attachment":
		return ofAttachment(r, m.Get("attachment"))
	case "assistant", "user":
		return ofMessage(r, m.Get("message"), commands)
	case "system":
		return ofSummary(r, m)
	}
	return nil
}

// ofAttachment reads the run of one hook. A hook that is ended after a call has no name there (2.1.332).
func ofAttachment(r setup.Receipt, raw []byte) []setup.Receipt {
	m, err := jsonraw.ObjectIn(raw)
	if err != nil {
		return nil
	}
	_, r.Tool, _ = strings.Cut(text(m, "hookName"), ":")
	r.Call, r.Event, r.Command = text(m, "toolUseID"), text(m, "hookEvent"), text(m, "command")
	r.Status, r.Took = number(m.Get("exitCode")), milliseconds(m.Get("durationMs"))
	switch text(m, "type") {
	case "hook_success":
		r.Outcome = setup.Ran
	case "hook_non_blocking_error":
		r.Outcome = setup.Failed
	case "hook_blocking_error":
		inner, _ := jsonraw.ObjectIn(m.Get("blockingError"))
		r.Outcome, r.Command = setup.Blocked, text(inner, "command")
	case "hook_cancelled":
		if r.Outcome = setup.Stopped; string(m.Get("timedOut")) == "true" {
			r.Outcome = setup.TimedOut
		}
	default:
		return nil
	}
	return []setup.Receipt{r}
}

// ofMessage reads calls and their results.
func ofMessage(r setup.Receipt, raw []byte, commands []string) (all []setup.Receipt) {
	m, err := jsonraw.ObjectIn(raw)
	if err != nil {
		return nil
	}
	blocks, err := jsonraw.ArrayIn(m.Get("content"))
	if err != nil {
		return nil
	}
	for _, raw := range blocks {
		b, err := jsonraw.ObjectIn(raw)
		if err != nil {
			continue
		}
		one := r
		switch kind := text(b, "type"); {
		case kind == "tool_use":
			one.Outcome, one.Call, one.Tool = setup.Called, text(b, "id"), text(b, "name")
		case kind != "tool_result":
			continue
		case string(b.Get("is_error")) != "true":
			one.Outcome, one.Call = setup.Answered, text(b, "tool_use_id")
		default:
			one.Call = text(b, "tool_use_id")
			if !blocked(&one, b.Get("content"), commands) {
				continue
			}
		}
		all = append(all, one)
	}
	return all
}

// blocked reports whether a result is that of a hook with status 2, and notes which hook that was. Its text is "PreToolUse:Bash hook
// error: [COMMAND]: " and what the hook wrote. A hook that refuses a call in another way is not named.
func blocked(r *setup.Receipt, content []byte, commands []string) bool {
	const error = " hook error: ["
	if !bytes.Contains(content[:min(len(content), 300)], []byte(error)) {
		return false
	}
	said, _ := jsonraw.Unquote(content)
	of, rest, _ := strings.Cut(said, error)
	event, tool, ok := strings.Cut(of, ":")
	for _, c := range commands {
		if ok && len(c) > len(r.Command) && strings.HasPrefix(rest, c+"]: ") {
			r.Outcome, r.Event, r.Tool, r.Command, r.Status = setup.Blocked, event, tool, c, 2
		}
	}
	return r.Command != ""
}

// ofSummary reads the line that has all hooks of the end of a turn.
func ofSummary(r setup.Receipt, m jsonraw.Members) (all []setup.Receipt) {
	if text(m, "subtype") != "stop_hook_summary" {
		return nil
	}
	hooks, _ := jsonraw.ArrayIn(m.Get("hookInfos"))
	for _, raw := range hooks {
		if h, err := jsonraw.ObjectIn(raw); err == nil {
			one := r
			one.Outcome, one.Call, one.Event = setup.Ran, text(m, "toolUseID"), "Stop"
			one.Command, one.Took = text(h, "command"), milliseconds(h.Get("durationMs"))
			all = append(all, one)
		}
	}
	return all
}

func number(raw []byte) int {
	n, _ := strconv.Atoi(string(raw))
	return n
}

func milliseconds(raw []byte) time.Duration {
	return time.Duration(max(0, number(raw))) * time.Millisecond
}

// text is [jsonraw.Members.String], and fast: transcripts are large.
func text(m jsonraw.Members, key string) string {
	raw := m.Get(key)
	if len(raw) > 1 && raw[0] == '"' && bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	return m.String(key)
}
