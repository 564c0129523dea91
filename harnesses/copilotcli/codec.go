package copilotcli

import (
	"errors"
	"fmt"
	"strings"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/internal/rawjson"
)

// Codec reads and writes Copilot CLI's hook events (1.0.102), those whose names begin with a small
// letter: preToolUse and postToolUse. Where a hook is registered under PreToolUse, the same comes in
// another form, with which wsi has no business.
type Codec struct{}

var errNoEvent = errors.New("not a hook event of Copilot CLI")

// Read takes an event apart. It does not say which it is: only one after the call has a result, or an
// error. Older builds had the arguments as a string (others' reports).
func (Codec) Read(event []byte) (harnesses.Event, error) {
	m, err := rawjson.Object(event)
	if err != nil {
		return harnesses.Event{}, err
	}
	ev := harnesses.Event{Kind: harnesses.Before, Session: m.String("sessionId"), Name: m.String("toolName"), Args: m.Get("toolArgs")}
	if ev.Name == "" || m.Get("hook_event_name") != nil {
		return ev, errNoEvent
	}
	if parent := m.String("parentAgentId"); parent != "" { // a sub-agent has a session of its own
		ev.Session, ev.Agent = parent, m.String("agentId")
	}
	if s, ok := rawjson.Unquote(ev.Args); ok {
		ev.Args = []byte(s)
	}
	if _, err := rawjson.Object(ev.Args); err != nil {
		ev.Args = nil
	}
	switch {
	case m.Get("serverName") != nil: // preMcpToolCall can change no arguments
		ev.Kind, ev.Server = harnesses.Other, m.String("serverName")
	case m.Get("error") != nil: // postToolUseFailure shows the server's text, and no value
		ev.Kind = harnesses.Failed
	case m.Get("toolResult") != nil:
		result, err := rawjson.Object(m.Get("toolResult"))
		if err != nil || result.String("resultType") != "success" {
			ev.Kind = harnesses.Failed
			break
		}
		ev.Kind, ev.Result = harnesses.After, shown(result.Get("textResultForLlm"))
	}
	return ev, nil
}

// shown reads the text of a result, to which Copilot CLI adds the structured content behind an empty
// line. There is no _meta.
func shown(raw []byte) carry.Result {
	text, ok := rawjson.Unquote(raw)
	if !ok {
		return carry.Result{}
	}
	r := harnesses.ReadResult(raw)
	if at := strings.LastIndex(text, "\n\n{"); at >= 0 {
		if last := []byte(text[at+2:]); rawjson.Valid(last) {
			r.Structured = last
		}
	}
	return r
}

// Tool reads <server>-<tool>. A tool with a hyphen could be one of another server's.
func (Codec) Tool(ev harnesses.Event, server string) (tool string, ok bool) {
	if ev.Server != "" {
		return ev.Name, ev.Server == server
	}
	tool, ok = strings.CutPrefix(ev.Name, server+"-")
	return tool, ok && tool != "" && !strings.Contains(tool, "-")
}

// Answer gives all arguments, without a decision: that would approve the call over the user's head.
func (Codec) Answer(c carry.Change) []byte {
	const head = `{"modifiedArgs":`
	return append(append(append(make([]byte, 0, len(head)+len(c.Args)+2), head...), c.Args...), "}\n"...)
}

// Deny refuses the call. The model reads the reason.
func (Codec) Deny(reason string) []byte {
	return fmt.Appendf(nil, `{"permissionDecision":"deny","permissionDecisionReason":%s}`+"\n", rawjson.Quote(reason))
}

// Nothing is silence.
func (Codec) Nothing() []byte { return nil }
