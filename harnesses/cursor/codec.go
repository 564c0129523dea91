package cursor

import (
	"errors"
	"fmt"
	"strings"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/internal/rawjson"
)

// Codec reads and writes Cursor's hook events, as in its documentation of 2026-08-25 and in captures that third parties
// published (3.1.15, 3.5.38). None was recorded by wsi.
type Codec struct{}

var errNoEvent = errors.New("not a hook event of Cursor")

// Read parses a preToolUse, postToolUse or afterMCPExecution event.
func (Codec) Read(event []byte) (harnesses.Event, error) {
	event = trimBOM(event) // Windows PowerShell adds one
	m, err := rawjson.Object(event)
	if err != nil {
		return harnesses.Event{}, err
	}
	ev := harnesses.Event{
		Kind:    harnesses.Other,
		Session: m.String("conversation_id"),
		ID:      m.String("tool_use_id"),
		Name:    m.String("tool_name"),
		Server:  m.String("mcp_server_name"),
		Args:    object(m.Get("tool_input")),
	}
	if ev.Name == "" {
		return ev, errNoEvent
	}
	if ev.Session == "" {
		ev.Session = m.String("session_id")
	}
	switch m.String("hook_event_name") {
	case "preToolUse":
		ev.Kind = harnesses.Before
	case "postToolUse":
		ev.Kind = harnesses.After
		ev.Result = harnesses.ReadResult(m.Get("tool_output"))
		// Cursor ignores the answer to afterMCPExecution, so that event has no Output.
		if ev.Output = object(m.Get("tool_output")); ev.Output == nil {
			ev.Output = m.Get("tool_output")
		}
	case "afterMCPExecution":
		ev.Kind = harnesses.After
		ev.Result = harnesses.ReadResult(m.Get("result_json"))
	}
	return ev, nil
}

func trimBOM(b []byte) []byte {
	if len(b) >= 3 && b[0] == 0xEF && b[1] == 0xBB && b[2] == 0xBF {
		return b[3:]
	}
	return b
}

// object returns a raw object, which may be encoded as a JSON string, or nil.
func object(raw []byte) []byte {
	if s, ok := rawjson.Unquote(raw); ok {
		raw = []byte(s)
	}
	if _, err := rawjson.Object(raw); err != nil {
		return nil
	}
	return raw
}

// Tool parses MCP:<tool>, which does not name the server, and the reported forms that do. afterMCPExecution has only the
// tool's name, and the server in a field of its own.
func (Codec) Tool(ev harnesses.Event, server string) (tool string, ok bool) {
	if ev.Server != "" && ev.Server != server {
		return "", false
	}
	name, ok := strings.CutPrefix(ev.Name, "MCP:")
	if !ok && ev.Server == "" {
		return "", false
	}
	for _, separator := range []string{"__", ":", "-"} {
		if tool, ok := strings.CutPrefix(name, server+separator); ok {
			return tool, tool != ""
		}
	}
	return name, name != "" && !strings.ContainsAny(name, ":") && !strings.Contains(name, "__")
}

// Answer returns all arguments, which is right whether Cursor replaces or merges them. A permission would approve the
// call without the user.
func (Codec) Answer(c carry.Change) []byte {
	const head = `{"updated_input":`
	return append(append(append(make([]byte, 0, len(head)+len(c.Args)+2), head...), c.Args...), "}\n"...)
}

// Deny refuses the call. Cursor shows one message to the user and one to the model.
func (Codec) Deny(reason string) []byte {
	quoted := rawjson.Quote(reason)
	return fmt.Appendf(nil, `{"permission":"deny","user_message":%s,"agent_message":%s}`+"\n", quoted, quoted)
}

// Tell adds a text to the call. Cursor drops a text of more than 10,000 characters.
func (Codec) Tell(text string) []byte {
	return fmt.Appendf(nil, `{"additional_context":%s}`+"\n", rawjson.Quote(text))
}

// Rewrite replaces what the model reads. Cursor accepts an object with content blocks or, for a result without them, a
// string. It is not known whether it accepts other members.
func (Codec) Rewrite(output []byte) []byte {
	if m, err := rawjson.Object(output); err == nil {
		content := m.Get("content")
		if blocks, err := rawjson.Array(content); err == nil && len(blocks) > 0 {
			output = fmt.Appendf(nil, `{"content":%s}`, content)
		} else {
			output = rawjson.Quote(string(output))
		}
	}
	return fmt.Appendf(nil, `{"updated_mcp_tool_output":%s}`+"\n", output)
}

// Nothing returns an empty object: Cursor blocks a tool if the hook does not print JSON.
func (Codec) Nothing() []byte { return []byte("{}\n") }
