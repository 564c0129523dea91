// Package codex is what hooks and relays must know of Codex. Package setup/codex has the rest.
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
	rest, ok := strings.CutPrefix(ev.Name, "mcp__"+strings.TrimRight(harnesses.SafeName(server, harnesses.Word), "_"))
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

// ID names the harness on command lines.
const ID = "codex"

// Dialect returns how Codex speaks with hooks and servers.
func Dialect() harnesses.Dialect {
	return harnesses.Dialect{Codec: Codec{}, Capabilities: harnesses.Capabilities{
		Deny: harnesses.Saying(harnesses.ClaudeDeny), // the reason replaces the result
		// A developer message, here and in Add. Without changed arguments, "allow" must be omitted.
		Tell:        harnesses.Saying(harnesses.ClaudeTell),
		Add:         harnesses.Adding(harnesses.After, `{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":%s}}`),
		Transcripts: Codec{}.Transcripts, TranscriptLine: Codec{}.Line,
		NoHookAfterFailure: true,                         // the result is in the transcript before the next hook runs
		Caller:             caller, OnlyStructured: true, // 0.169.0
	}}
}

// caller reads _meta (0.169.0). In a sub-agent the thread differs from the session.
func caller(meta []byte) harnesses.Caller {
	members := harnesses.Inside(meta)
	session, thread := members.String("sessionId"), members.String("threadId")
	switch thread {
	case "":
		return harnesses.Caller{}
	case session:
		thread = ""
	}
	return harnesses.Caller{Session: session, Agent: thread}
}
