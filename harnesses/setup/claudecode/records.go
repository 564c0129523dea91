package claudecode

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"time"

	"wsi/harnesses/setup"
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

// transcriptLine has what is read of a line of a transcript.
type transcriptLine struct {
	UUID, SessionID, Cwd, Type, Subtype, ToolUseID string

	Timestamp  time.Time
	Message    struct{ Content json.RawMessage }
	HookInfos  []hookRun // at the end of a turn
	Attachment struct {
		hookRun
		Type, HookName, HookEvent, ToolUseID string

		ExitCode      int
		TimedOut      bool
		BlockingError hookRun
	}
}

type hookRun struct {
	Command    string
	DurationMs int64
}

func (h hookRun) took() time.Duration { return time.Duration(max(0, h.DurationMs)) * time.Millisecond }

// receipts returns what a line of a transcript says.
func receipts(line []byte, commands []string) (all []setup.Receipt) {
	var l transcriptLine
	if bytes.HasPrefix(line, []byte(`{"type":"api-request`)) || json.Unmarshal(line, &l) != nil || l.Timestamp.IsZero() { // the first is what was sent to the model, with every message so far
		return nil
	}
	r := setup.Receipt{Line: l.UUID, Time: l.Timestamp, Session: l.SessionID, Cwd: l.Cwd}
	switch l.Type {
	case "attachment": // a hook that is ended after a call has no name there (2.1.332)
		a := l.Attachment
		_, r.Tool, _ = strings.Cut(a.HookName, ":")
		r.Call, r.Event, r.Command, r.Status, r.Took = a.ToolUseID, a.HookEvent, a.Command, a.ExitCode, a.took()
		switch {
		case a.Type == "hook_success":
			r.Outcome = setup.Ran
		case a.Type == "hook_non_blocking_error":
			r.Outcome = setup.Failed
		case a.Type == "hook_blocking_error":
			r.Outcome, r.Command = setup.Blocked, a.BlockingError.Command
		case a.Type == "hook_cancelled" && a.TimedOut:
			r.Outcome = setup.TimedOut
		case a.Type == "hook_cancelled":
			r.Outcome = setup.Stopped
		default:
			return nil
		}
		return []setup.Receipt{r}
	case "assistant", "user":
		return ofMessage(r, l.Message.Content, commands)
	case "system":
		for _, h := range l.HookInfos {
			r.Outcome, r.Call, r.Event, r.Command, r.Took = setup.Ran, l.ToolUseID, "Stop", h.Command, h.took()
			all = append(all, r)
		}
	}
	return all
}

// ofMessage reads calls and their results.
func ofMessage(r setup.Receipt, content []byte, commands []string) (all []setup.Receipt) {
	var parts []struct {
		Type, ID, Name string
		ToolUseID      string          `json:"tool_use_id"`
		IsError        bool            `json:"is_error"`
		Content        json.RawMessage // a text, or a list
	}
	_ = json.Unmarshal(content, &parts) // a prompt is a text
	for _, p := range parts {
		one := r
		switch {
		case p.Type == "tool_use":
			one.Outcome, one.Call, one.Tool = setup.Called, p.ID, p.Name
		case p.Type == "tool_result" && !p.IsError:
			one.Outcome, one.Call = setup.Answered, p.ToolUseID
		case p.Type == "tool_result" && blocked(&one, p.Content, commands):
			one.Call = p.ToolUseID
		default:
			continue
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
	var said string
	_ = json.Unmarshal(content, &said) // a list has no such text
	of, rest, _ := strings.Cut(said, error)
	event, tool, ok := strings.Cut(of, ":")
	for _, c := range commands {
		if ok && len(c) > len(r.Command) && strings.HasPrefix(rest, c+"]: ") {
			r.Outcome, r.Event, r.Tool, r.Command, r.Status = setup.Blocked, event, tool, c, 2
		}
	}
	return r.Command != ""
}
