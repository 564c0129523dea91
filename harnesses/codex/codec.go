package codex

import (
	"bytes"
	"strings"

	"wsi/harnesses"
	"wsi/hook/carry"
)

// Codec reads and writes Codex's hook events (codex-cli 0.169.0).
type Codec struct{ harnesses.Silent }

// Read parses a PreToolUse or PostToolUse event. For a call that failed there is no PostToolUse event. For the others an older
// wsi registered hooks.
func (Codec) Read(event []byte) (harnesses.Event, error) {
	names := harnesses.ClaudeMembers()
	names.Of, names.Bare = "a hook event of Codex", []string{"SessionStart", "PostCompact"}
	names.Kinds = map[string]harnesses.Kind{"PreToolUse": harnesses.Before, "PostToolUse": harnesses.After}
	ev, m, err := names.Read(event)
	if m.Get("cursor_version") != nil {
		ev.By = "cursor"
	}
	if ev.Kind == harnesses.After {
		ev.Result = harnesses.ReadResult(m.Get("tool_response"))
	}
	return ev, err
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
	return harnesses.Render(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":%s}}`, c.Args)
}

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
	result := item.Get("result")
	return harnesses.ReadResult(result), result != nil
}
