package cursor

import (
	"errors"
	"fmt"
	"strings"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/internal/rawjson"
)

// Codec reads and writes Cursor's hook events, by its documentation of 2026-08-25 and by captures
// that third parties published (3.1.15, 3.5.38). None was recorded here.
type Codec struct{}

var errNoEvent = errors.New("not a hook event of Cursor")

// Read takes a preToolUse, postToolUse or afterMCPExecution event apart.
func (Codec) Read(event []byte) (harnesses.Event, error) {
	event = trimBOM(event) // Windows PowerShell puts one in front
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
		// What afterMCPExecution answers is thrown away, so that one has none.
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

// object returns a raw object that is there as such or as a JSON string, nil if it is neither.
func object(raw []byte) []byte {
	if s, ok := rawjson.Unquote(raw); ok {
		raw = []byte(s)
	}
	if _, err := rawjson.Object(raw); err != nil {
		return nil
	}
	return raw
}

// Tool reads MCP:<tool>, which names no server, and the forms with a server that other builds and
// readers of builds know. afterMCPExecution has the bare tool and names the server beside it.
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

// Answer gives the whole input back, which is right whether Cursor replaces or merges. Without a
// permission: that would approve the call over the user's head.
func (Codec) Answer(c carry.Change) []byte {
	const head = `{"updated_input":`
	return append(append(append(make([]byte, 0, len(head)+len(c.Args)+2), head...), c.Args...), "}\n"...)
}

// Deny refuses the call. Cursor shows one message to its user and one to the model.
func (Codec) Deny(reason string) []byte {
	quoted := rawjson.Quote(reason)
	return fmt.Appendf(nil, `{"permission":"deny","user_message":%s,"agent_message":%s}`+"\n", quoted, quoted)
}

// Tell says something beside the call. Cursor drops a text of more than 10,000 characters.
func (Codec) Tell(text string) []byte {
	return fmt.Appendf(nil, `{"additional_context":%s}`+"\n", rawjson.Quote(text))
}

// Rewrite replaces the result in what the model reads. Cursor takes an object with content blocks, and
// from a result that has none a string; whether it takes other members is not known.
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

// Nothing is an empty object: Cursor blocks a tool whose hook prints something else than JSON.
func (Codec) Nothing() []byte { return []byte("{}\n") }
