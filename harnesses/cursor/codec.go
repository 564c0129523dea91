// Package cursor is what hooks and relays must know of Cursor. Package setup/cursor has the rest.
package cursor

import (
	"bytes"
	"cmp"
	"strings"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/internal/jsonraw"
)

// Codec reads and writes Cursor's hook events, as in its documentation of 2026-08-25 and in captures that third parties
// published (3.1.15, 3.5.38). None was recorded by wsi.
type Codec struct{}

// Read parses a preToolUse, postToolUse or afterMCPExecution event.
func (Codec) Read(event []byte) (harnesses.Event, error) {
	names := harnesses.Members{
		Kind: "hook_event_name", Session: "conversation_id", ID: "tool_use_id", Name: "tool_name", Server: "mcp_server_name",
		Of:    "a hook event of Cursor",
		Kinds: map[string]harnesses.Kind{"preToolUse": harnesses.Before, "postToolUse": harnesses.After, "afterMCPExecution": harnesses.After},
	}
	ev, m, err := names.Read(bytes.TrimPrefix(event, []byte("\ufeff"))) // Windows PowerShell adds it
	if err != nil {
		return ev, err
	}
	ev.Args, ev.Session = object(m.Get("tool_input")), cmp.Or(ev.Session, m.String("session_id"))
	switch m.String(names.Kind) {
	case "postToolUse":
		ev.Result = harnesses.ReadResult(m.Get("tool_output"))
	case "afterMCPExecution":
		ev.Result = harnesses.ReadResult(m.Get("result_json"))
	}
	return ev, nil
}

// object returns a raw object, which may be encoded as a JSON string, or nil.
func object(raw []byte) []byte {
	if s, ok := jsonraw.Unquote(raw); ok {
		raw = []byte(s)
	}
	if _, err := jsonraw.Object(raw); err != nil {
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
func (Codec) Answer(c carry.Change) []byte { return harnesses.Render(`{"updated_input":%s}`, c.Args) }

// Nothing returns an empty object: Cursor blocks a tool if the hook does not print JSON.
func (Codec) Nothing() []byte { return []byte("{}\n") }

// ID names the harness on command lines.
const ID = "cursor"

// Dialect returns how Cursor speaks with hooks and servers.
func Dialect() harnesses.Dialect {
	return harnesses.Dialect{Codec: Codec{}, Capabilities: harnesses.Capabilities{
		// One message is for the user, and one for the model.
		Deny:          harnesses.Saying(`{"permission":"deny","user_message":%[1]s,"agent_message":%[1]s}`),
		Tell:          harnesses.Saying(`{"additional_context":%s}`), // a text of more than 10,000 characters is dropped
		MayOmitServer: true,
	}}
}
