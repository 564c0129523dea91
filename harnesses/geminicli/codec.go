package geminicli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/internal/rawjson"
)

// Codec reads and writes Gemini CLI's hook events (0.61.0).
type Codec struct{}

var errNoEvent = errors.New("not a hook event of Gemini CLI")

// Read parses a BeforeTool or AfterTool event. They do not have the call's id. Event.Name is the name before Gemini CLI
// shortens it.
func (Codec) Read(event []byte) (harnesses.Event, error) {
	m, err := rawjson.Object(event)
	if err != nil {
		return harnesses.Event{}, err
	}
	ev := harnesses.Event{
		Kind:    harnesses.Other,
		Session: m.String("session_id"),
		Name:    m.String("tool_name"),
		File:    m.String("transcript_path"),
		Args:    harnesses.RawObject(m.Get("tool_input")),
	}
	if ev.Name == "" {
		return ev, errNoEvent
	}
	if context, err := rawjson.Object(m.Get("mcp_context")); err == nil {
		ev.Server = context.String("server_name")
		ev.Name = prefix(ev.Server) + context.String("tool_name")
	}
	switch m.String("hook_event_name") {
	case "BeforeTool":
		ev.Kind = harnesses.Before
	case "AfterTool":
		ev.Kind = harnesses.After
		ev.Kind, ev.Result = result(harnesses.Inside(m.Get("tool_response")))
	}
	return ev, nil
}

// result reads returnDisplay, which has the server's text. In llmContent it is between marks. Neither has _meta or
// structured content.
func result(response rawjson.Members) (harnesses.Kind, carry.Result) {
	if failed := response.Get("error"); failed != nil && string(failed) != "null" {
		return failure(response)
	}
	shown := response.Get("returnDisplay")
	if len(shown) == 0 || shown[0] != '"' {
		return harnesses.After, carry.Result{}
	}
	return harnesses.After, harnesses.ReadResult(shown)
}

// failure reads llmContent, which for an error has the whole result with its _meta, after the tool's name and the
// arguments. Quotes in strings are escaped there, so nothing that a model types can look like the mark.
func failure(response rawjson.Members) (harnesses.Kind, carry.Result) {
	const mark = ` with response: [{"functionResponse":`
	_, rest, ok := strings.Cut(response.String("llmContent"), mark)
	rest, closed := strings.CutSuffix(rest, "}]")
	answer, err := rawjson.Object([]byte(rest))
	if !ok || !closed || err != nil {
		return harnesses.Failed, carry.Result{}
	}
	r := harnesses.ReadResult(answer.Get("response"))
	r.Error = true
	return harnesses.After, r
}

func prefix(server string) string { return "mcp_" + server + "_" }

// Tool parses mcp_<server>_<tool>. Names may contain _, so only mcp_context names the server.
func (Codec) Tool(ev harnesses.Event, server string) (tool string, ok bool) {
	if ev.Server != server {
		return "", false
	}
	tool, ok = strings.CutPrefix(ev.Name, prefix(server))
	return tool, ok && tool != ""
}

// Answer returns all arguments: Gemini CLI drops those that it omits. It approves nothing.
func (Codec) Answer(c carry.Change) []byte {
	return slices.Concat([]byte(`{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":`), c.Args, []byte("}}\n"))
}

// Deny refuses the call. The model reads the reason as an error of the tool.
func (Codec) Deny(reason string) []byte {
	return fmt.Appendf(nil, `{"decision":"deny","reason":%s}`+"\n", rawjson.Quote(reason))
}

// Nothing returns no output.
func (Codec) Nothing() []byte { return nil }
