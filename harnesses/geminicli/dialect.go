package geminicli

import (
	"errors"
	"strings"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/internal/rawjson"
)

// Dialect reads and writes Gemini CLI's hook events (0.61.0).
type Dialect struct{}

var errNoEvent = errors.New("not a hook event of Gemini CLI")

// Read takes a BeforeTool or AfterTool event apart. They have no id of the call and name no sub-agent.
// Of a result there is the text, with no _meta and no structured content: returnDisplay has it as the
// server wrote it, llmContent between marks.
func (Dialect) Read(event []byte) (harnesses.Event, error) {
	m, err := rawjson.Object(event)
	if err != nil {
		return harnesses.Event{}, err
	}
	ev := harnesses.Event{
		Kind:    harnesses.Other,
		Session: m.String("session_id"),
		Name:    m.String("tool_name"),
		File:    m.String("transcript_path"),
	}
	if ev.Name == "" {
		return ev, errNoEvent
	}
	if args := m.Get("tool_input"); len(args) > 0 && args[0] == '{' {
		ev.Args = args
	}
	if context, err := rawjson.Object(m.Get("mcp_context")); err == nil {
		ev.Server = context.String("server_name")
	}
	switch m.String("hook_event_name") {
	case "BeforeTool":
		ev.Kind = harnesses.Before
	case "AfterTool":
		ev.Kind = harnesses.After
		if response, err := rawjson.Object(m.Get("tool_response")); err == nil {
			ev.Kind, ev.Result = result(response)
		}
	}
	return ev, nil
}

func result(response rawjson.Members) (harnesses.Kind, carry.Result) {
	if failed := response.Get("error"); failed != nil && string(failed) != "null" {
		return harnesses.Failed, carry.Result{}
	}
	shown := response.Get("returnDisplay")
	if len(shown) == 0 || shown[0] != '"' {
		return harnesses.After, carry.Result{}
	}
	return harnesses.After, harnesses.ReadResult(shown)
}

// Tool reads mcp_<server>_<tool>. Which server it is, only mcp_context tells: names of both have the
// mark between them in them.
func (Dialect) Tool(ev harnesses.Event, server string) (tool string, ok bool) {
	if ev.Server != server {
		return "", false
	}
	tool, ok = strings.CutPrefix(ev.Name, "mcp_"+server+"_")
	return tool, ok && tool != ""
}

// Answer gives all arguments: what it leaves out is dropped. It approves nothing.
func (Dialect) Answer(c carry.Change) []byte {
	const head = `{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":`
	return append(append(append(make([]byte, 0, len(head)+len(c.Args)+3), head...), c.Args...), "}}\n"...)
}

// Nothing is silence.
func (Dialect) Nothing() []byte { return nil }
