// Package claudecode is what hooks and relays must know of Claude Code. Package setup/claudecode has the rest.
package claudecode

import (
	"bytes"
	"strings"
	"time"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/internal/jsonraw"
)

// Codec reads and writes Claude Code's hook events (2.1.197, 2.1.329 and 2.1.330).
type Codec struct{ harnesses.Silent }

// Read parses an event of a call, or of a batch of calls. For SessionStart an older wsi registered a hook.
func (Codec) Read(event []byte) (harnesses.Event, error) {
	names := harnesses.ClaudeMembers()
	names.Of, names.Bare = "a hook event of Claude Code", []string{"SessionStart", "PostToolBatch", "Stop", "SubagentStop"}
	names.Kinds = map[string]harnesses.Kind{
		"PreToolUse": harnesses.Before, "PostToolUse": harnesses.After, "PostToolUseFailure": harnesses.Failed, "PostToolBatch": harnesses.Batch,
		"Stop": harnesses.TurnEnd, "SubagentStop": harnesses.AgentEnd,
	}
	ev, m, err := names.Read(event)
	if m.Get("cursor_version") != nil {
		ev.By = "cursor"
	}
	if err != nil {
		return ev, err
	}
	switch ev.Kind {
	case harnesses.Batch:
		ev.Calls = calls(m.Get("tool_calls"))
		return ev, nil
	case harnesses.TurnEnd, harnesses.AgentEnd:
		ev.Goes = string(m.Get("stop_hook_active")) == "true"
		return ev, nil
	}
	ev.Server = m.In("mcp_server").String("name")
	if text := m.Get("error"); ev.Kind != harnesses.Failed {
		ev.Result = harnesses.ReadResult(m.Get("tool_response"))
	} else if len(text) > 0 && text[0] == '"' {
		ev.Result.Blocks = []carry.Block{{Text: text}}
	}
	return ev, nil
}

// calls returns the calls of a PostToolBatch event that are calls of MCP servers.
func calls(raw []byte) (all []harnesses.Event) {
	elements, _ := jsonraw.Array(raw) // none if it is not an array
	for _, e := range elements {
		call := jsonraw.In(e)
		if name := call.String("tool_name"); strings.HasPrefix(name, "mcp__") {
			all = append(all, harnesses.Event{ID: call.String("tool_use_id"), Name: name, Args: harnesses.RawObject(call.Get("tool_input"))})
		}
	}
	return all
}

// Tool parses mcp__<server>__<tool> and, for a plugin's server, mcp__plugin_<plugin>_<server>__<tool>. Since 2.1.329
// the event names the server as well, so ambiguous names are resolved.
func (Codec) Tool(ev harnesses.Event, server string) (tool string, ok bool) {
	if ev.Server != "" && ev.Server != server && !(strings.HasPrefix(ev.Server, "plugin:") && strings.HasSuffix(ev.Server, ":"+server)) {
		return "", false
	}
	rest, ok := strings.CutPrefix(ev.Name, "mcp__")
	if !ok {
		return "", false
	}
	own := harnesses.SafeName(server, harnesses.WordOrHyphen) + "__"
	if tool, ok = strings.CutPrefix(rest, own); !ok && strings.HasPrefix(rest, "plugin_") {
		var plugin string
		plugin, tool, ok = strings.Cut(rest[len("plugin_"):], "_"+own)
		ok = ok && plugin != "" && !strings.Contains(plugin, "__") && !strings.HasSuffix(plugin, "_")
	}
	// mcp__a__b__c may be tool c of server a__b: without the server's name it is ambiguous.
	if !ok || tool == "" || ev.Server == "" && strings.Contains(tool, "__") {
		return "", false
	}
	return tool, true
}

// Answer changes only the arguments: a permissionDecision would approve the call without the user.
func (Codec) Answer(c carry.Change) []byte {
	return harnesses.Render(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":%s}}`, c.Args)
}

// Transcripts returns the file in which the result's _meta appears: no hook event has it. A sub-agent has its own file.
func (Codec) Transcripts(ev harnesses.Event) []string {
	if ev.File == "" {
		return nil
	}
	if ev.Agent == "" {
		return []string{ev.File}
	}
	if harnesses.SafeName(ev.Agent, harnesses.WordOrHyphen) != ev.Agent {
		return nil
	}
	return []string{strings.TrimSuffix(ev.File, ".jsonl") + "/subagents/agent-" + ev.Agent + ".jsonl"}
}

// Line parses a transcript line with a tool's result.
func (Codec) Line(line []byte, id string) (carry.Result, bool) {
	if !bytes.Contains(line, []byte("tool_result")) {
		return carry.Result{}, false
	}
	m, _ := jsonraw.Object(line)
	content, _ := jsonraw.ArrayIn(m.In("message").Get("content")) // none if it is another line
	for _, raw := range content {
		if block := jsonraw.In(raw); block.String("type") == "tool_result" && block.String("tool_use_id") == id {
			return toolResult(m, block), true
		}
	}
	return carry.Result{}, false
}

// toolResult returns the result of a line: what the model reads, and mcpMeta next to the message. 2.1.197 omits that in
// sub-agents, where a result looks as if it had no _meta.
func toolResult(line, block jsonraw.Members) carry.Result {
	r := carry.Result{Error: string(block.Get("is_error")) == "true"}
	if at, err := time.Parse(time.RFC3339, line.String("timestamp")); err == nil {
		r.Came = at.UnixMilli()
	}
	switch content := block.Get("content"); {
	case len(content) > 0 && content[0] == '"':
		r.Blocks = []carry.Block{{Text: content}}
	case len(content) > 0 && content[0] == '[':
		r.Blocks = harnesses.ReadResult(content).Blocks
	}
	if meta, err := jsonraw.ObjectIn(line.Get("mcpMeta")); err == nil {
		r.Meta, r.Structured = meta.Get("_meta"), meta.Get("structuredContent")
	} else {
		r.Hidden = string(line.Get("isSidechain")) == "true"
	}
	return r
}

// add renders an answer with a text, which is in the next request to the model: next to the results of the batch, or alone in a
// request that is made because of it (2.1.332). An answer to PostToolUse could show it as well, but _meta is not known by then.
func add(kind harnesses.Kind, text string) []byte {
	event := map[harnesses.Kind]string{harnesses.Batch: "PostToolBatch", harnesses.TurnEnd: "Stop", harnesses.AgentEnd: "SubagentStop"}[kind]
	if event == "" {
		return nil
	}
	return harnesses.Render(`{"hookSpecificOutput":{"hookEventName":"`+event+`","additionalContext":%s}}`, jsonraw.Quote(text))
}

// ID names the harness on command lines.
const ID = "claude-code"

// Dialect returns how Claude Code speaks with hooks and servers (2.1.197 and 2.1.329). There is no SessionVariable:
// CLAUDE_CODE_SESSION_ID names no session with --continue, and keeps its value when /clear or /resume change the session.
func Dialect() harnesses.Dialect {
	return harnesses.Dialect{Codec: Codec{}, Capabilities: harnesses.Capabilities{
		// The model reads the reason as the result, which is marked as an error.
		Deny: harnesses.Saying(harnesses.ClaudeDeny),
		// Without a permissionDecision the user's permissions stay as they are.
		Tell:        harnesses.Saying(harnesses.ClaudeTell),
		Add:         add,
		Transcripts: Codec{}.Transcripts, TranscriptLine: Codec{}.Line,
		// Cursor runs Claude Code's hooks, too.
		RunByOther: func(getenv func(string) string) bool {
			return getenv("CURSOR_VERSION") != "" && getenv("CLAUDECODE") == ""
		},
		Note: func(ev harnesses.Event) string { return ev.ID },
		Caller: func(meta []byte) harnesses.Caller {
			return harnesses.Caller{Note: harnesses.Inside(meta).String("claudecode/toolUseId")}
		},
		OnlyStructured: true, // 2.1.330
		// Claude Code sends SIGINT, SIGTERM after 100 ms, and SIGKILL about 500 ms later, which ends the relay but not the server.
		StopTimeout: 400 * time.Millisecond,
	}}
}
