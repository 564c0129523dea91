package codex

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/internal/rawjson"
)

// Codec reads and writes Codex's hook events (codex-cli 0.169.0).
type Codec struct{}

var errNoEvent = errors.New("not a hook event of Codex")

// older are events for which an older wsi registered hooks.
var older = []string{"SessionStart", "PostCompact"}

// Read parses a PreToolUse or PostToolUse event. For a call that failed there is no PostToolUse event.
func (Codec) Read(event []byte) (harnesses.Event, error) {
	m, err := rawjson.Object(event)
	if err != nil {
		return harnesses.Event{}, err
	}
	ev := harnesses.Event{
		Kind:    harnesses.Other,
		Session: m.String("session_id"),
		Agent:   m.String("agent_id"),
		ID:      m.String("tool_use_id"),
		Name:    m.String("tool_name"),
		File:    m.String("transcript_path"),
	}
	if m.Get("cursor_version") != nil {
		ev.By = "cursor"
	}
	if slices.Contains(older, m.String("hook_event_name")) {
		return ev, nil
	}
	if ev.Name == "" {
		return ev, errNoEvent
	}
	// Arguments that are not JSON arrive as a string.
	if args := m.Get("tool_input"); len(args) > 0 && args[0] == '{' {
		ev.Args = args
	}
	switch m.String("hook_event_name") {
	case "PreToolUse":
		ev.Kind = harnesses.Before
	case "PostToolUse":
		ev.Kind = harnesses.After
		ev.Result = harnesses.ReadResult(m.Get("tool_response"))
	}
	return ev, nil
}

// Tool parses mcp__<server>__<tool>. In the server's name, every character outside [A-Za-z0-9_] is "_" and each "_" at
// the end is gone. If two names become equal, both have a hash appended.
func (Codec) Tool(ev harnesses.Event, server string) (tool string, ok bool) {
	rest, ok := strings.CutPrefix(ev.Name, "mcp__")
	if !ok {
		return "", false
	}
	rest, ok = strings.CutPrefix(rest, strings.TrimRight(harnesses.SafeName(server, harnesses.Word), "_"))
	if !ok {
		return "", false
	}
	const hash = 12
	if len(rest) > hash+1 && rest[0] == '_' && strings.Trim(rest[1:hash+1], "0123456789abcdef") == "" {
		rest = rest[hash+1:]
	}
	tool, ok = strings.CutPrefix(rest, "__")
	return tool, ok && tool != "" && !strings.Contains(tool, "__")
}

// Answer changes the arguments. Codex accepts that only with "allow", which approves nothing here: Codex still asks for
// its own approval. It ignores an answer with an unknown key.
func (Codec) Answer(c carry.Change) []byte {
	return slices.Concat([]byte(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":`), c.Args, []byte("}}\n"))
}

// Deny refuses the call; the reason replaces the result.
func (Codec) Deny(reason string) []byte {
	return fmt.Appendf(nil, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":%s}}`+"\n", rawjson.Quote(reason))
}

// Tell adds a developer message to the call. Without changed arguments, "allow" must be omitted.
func (Codec) Tell(text string) []byte {
	return fmt.Appendf(nil, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":%s}}`+"\n", rawjson.Quote(text))
}

// Add adds a developer message after the call.
func (Codec) Add(kind harnesses.Kind, text string, _ []byte) []byte {
	if kind != harnesses.After {
		return nil
	}
	return fmt.Appendf(nil, `{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":%s}}`+"\n", rawjson.Quote(text))
}

// Nothing returns no output.
func (Codec) Nothing() []byte { return nil }

// Transcripts returns the rollout file. A sub-agent's event names its own.
func (Codec) Transcripts(ev harnesses.Event) []string {
	if ev.File == "" {
		return nil
	}
	return []string{ev.File}
}

// Line parses the rollout line that completes an MCP call.
func (Codec) Line(line []byte, id string) (carry.Result, bool) {
	if !bytes.Contains(line, []byte("McpToolCall")) {
		return carry.Result{}, false
	}
	item := harnesses.Inside(line, "payload", "item")
	if item.String("type") != "McpToolCall" || item.String("id") != id {
		return carry.Result{}, false
	}
	return itemResult(item)
}

// itemResult returns the result of an McpToolCall. ok is false if it has none.
func itemResult(item rawjson.Members) (r carry.Result, ok bool) {
	result := item.Get("result")
	if result == nil {
		return carry.Result{}, false
	}
	return harnesses.ReadResult(result), true
}
