package copilotcli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/internal/rawjson"
)

// Codec reads and writes Copilot CLI's hook events preToolUse, postToolUse, postToolUseFailure, preCompact and subagentStart
// (1.0.102). A hook that is registered under PreToolUse gets another form, which wsi does not use.
type Codec struct{}

var errNoEvent = errors.New("not a hook event of Copilot CLI")

// Read parses an event. The event does not have its name: only one after the call has a result or an error, and only
// preCompact, of which no answer reaches the model, has a trigger. In older builds the arguments are a string (reported
// by others).
func (Codec) Read(event []byte) (harnesses.Event, error) {
	m, err := rawjson.Object(event)
	if err != nil {
		return harnesses.Event{}, err
	}
	ev := harnesses.Event{Kind: harnesses.Before, Session: m.String("sessionId"), Name: m.String("toolName"), Args: m.Get("toolArgs")}
	if parent := m.String("parentAgentId"); parent != "" { // a sub-agent has a session of its own
		ev.Session, ev.Agent = parent, m.String("agentId")
	}
	switch named := m.Get("hook_event_name") != nil; {
	case ev.Name == "" && !named && m.String("trigger") != "":
		ev.Kind, ev.Mute = harnesses.Compacted, true
		return ev, nil
	case ev.Name == "" && !named && m.String("agentName") != "":
		ev.Kind, ev.Mute = harnesses.Spawned, true
		return ev, nil
	case ev.Name == "" || named:
		return ev, errNoEvent
	}
	if s, ok := rawjson.Unquote(ev.Args); ok {
		ev.Args = []byte(s)
	}
	if _, err := rawjson.Object(ev.Args); err != nil {
		ev.Args = nil
	}
	switch {
	case m.Get("serverName") != nil: // preMcpToolCall cannot change arguments
		ev.Kind, ev.Server = harnesses.Other, m.String("serverName")
	case m.Get("error") != nil: // postToolUseFailure has only the server's text
		ev.Kind = harnesses.Failed
		if failed := m.Get("error"); failed[0] == '"' {
			ev.Error = failed
		}
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

// shown parses the text of a result, to which Copilot CLI appends an empty line and the structured content. It has no
// _meta.
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

// Tool parses <server>-<tool>. A tool with a hyphen may belong to another server.
func (Codec) Tool(ev harnesses.Event, server string) (tool string, ok bool) {
	if ev.Server != "" {
		return ev.Name, ev.Server == server
	}
	tool, ok = strings.CutPrefix(ev.Name, server+"-")
	return tool, ok && tool != "" && !strings.Contains(tool, "-")
}

// Answer returns all arguments. A decision would approve the call without the user.
func (Codec) Answer(c carry.Change) []byte {
	return slices.Concat([]byte(`{"modifiedArgs":`), c.Args, []byte("}\n"))
}

// Deny refuses the call. The model reads the reason.
func (Codec) Deny(reason string) []byte {
	return fmt.Appendf(nil, `{"permissionDecision":"deny","permissionDecisionReason":%s}`+"\n", rawjson.Quote(reason))
}

// Remind shows the model a text after a call (1.0.102): behind the result, or as a message of the user's if the call failed.
func (Codec) Remind(kind harnesses.Kind, text string) []byte {
	if kind != harnesses.After && kind != harnesses.Failed {
		return nil
	}
	return fmt.Appendf(nil, `{"additionalContext":%s}`+"\n", rawjson.Quote(text))
}

// Nothing returns no output.
func (Codec) Nothing() []byte { return nil }
