package claudecode

import (
	"path/filepath"
	"strings"

	"wsi/harnesses"
	"wsi/hook/carry"
	"wsi/internal/rawjson"
)

// history reads transcripts: one file for each session and each sub-agent (2.1.197, 2.1.330).
func history() harnesses.History {
	return harnesses.History{
		Places: func(env harnesses.Env) []string { return []string{filepath.Join(locate(env).ConfigHome, "projects")} },
		Begins: begins,
		Read: func(r harnesses.Recording, each func(harnesses.Step), skip func(string)) error {
			t := transcript{each: each}
			return harnesses.EachLine(r.Reader(), t.line, skip)
		},
		HookRuns: hookRuns, HookRunsLack: "Claude Code records only the runs that fail, block or print something.",
	}
}

// begins looks for a line of a conversation. Other lines can come first.
func begins(begin []byte) bool {
	for _, line := range harnesses.Members(begin) {
		_, chained := line["parentUuid"]
		if _, session := line["sessionId"]; session && (chained || line["type"] == "queue-operation") || chained && line["type"] != "" {
			return true
		}
	}
	return false
}

// transcript reads the lines of one file.
type transcript struct {
	each func(harnesses.Step)
	kept []string // the messages that the compaction before this line has kept
}

func (t *transcript) line(line rawjson.Members) {
	step := harnesses.Step{Message: line.String("uuid")}
	if string(line.Get("isSidechain")) == "true" {
		step.Session = "agent " + line.String("agentId") // older versions wrote sub-agents into the session's file
	}
	switch line.String("type") {
	case "attachment":
		step.Texts = [][]byte{line.Get("attachment")}
		t.each(step)
	case "system":
		if line.String("subtype") == "compact_boundary" {
			t.kept = preserved(line.Get("compactMetadata"))
		}
	case "user":
		t.user(step, line)
	case "assistant":
		t.assistant(step, line)
	}
}

// preserved returns the messages that stay word for word (2.1.197 and 2.1.330).
func preserved(metadata []byte) (kept []string) {
	m, _ := rawjson.ObjectIn(metadata)
	messages, _ := rawjson.ObjectIn(m.Get("preservedMessages"))
	all, _ := rawjson.ArrayIn(messages.Get("uuids"))
	for _, raw := range all {
		if id, ok := rawjson.Unquote(raw); ok {
			kept = append(kept, id)
		}
	}
	return kept
}

func (t *transcript) user(step harnesses.Step, line rawjson.Members) {
	message, _ := rawjson.ObjectIn(line.Get("message"))
	content := message.Get("content")
	if string(line.Get("isCompactSummary")) == "true" {
		step.Kind, step.Texts, step.Kept = harnesses.Summarized, [][]byte{content}, t.kept
		t.kept = nil
		t.each(step)
		return
	}
	blocks, err := rawjson.ArrayIn(content)
	if err != nil {
		step.Texts = [][]byte{content}
		t.each(step)
		return
	}
	for _, raw := range blocks {
		block, _ := rawjson.ObjectIn(raw)
		step := step
		switch block.String("type") {
		case "text":
			step.Texts = [][]byte{block.Get("text")}
		case "tool_result":
			step.Kind, step.ID, step.Texts = harnesses.Returned, block.String("tool_use_id"), [][]byte{block.Get("content")}
			step.Result = harnesses.ReadResult(block.Get("content"))
			more := toolResult(line, block)
			step.Result.Error = more.Error
			if more.Structured != nil {
				step.Result.Structured = more.Structured
			}
		default: // pictures
			continue
		}
		t.each(step)
	}
}

func (t *transcript) assistant(step harnesses.Step, line rawjson.Members) {
	message, _ := rawjson.ObjectIn(line.Get("message"))
	blocks, _ := rawjson.ArrayIn(message.Get("content"))
	for _, raw := range blocks {
		block, _ := rawjson.ObjectIn(raw)
		step := step
		step.Kind = harnesses.Said
		switch block.String("type") {
		case "text":
			step.Texts = [][]byte{block.Get("text")}
		case "tool_use":
			step.Texts = [][]byte{block.Get("input")}
			if server, tool, ok := serverTool(block.String("name")); ok {
				step.Kind, step.ID, step.Server, step.Tool, step.Args = harnesses.Called, block.String("id"), server, tool, block.Get("input")
			}
		default: // thinking
			continue
		}
		t.each(step)
	}
}

// serverTool parses mcp__<server>__<tool>. A server's name that contains "__" is cut there: transcripts do not name
// the server.
func serverTool(name string) (server, tool string, ok bool) {
	rest, ok := strings.CutPrefix(name, "mcp__")
	if !ok {
		return "", "", false
	}
	return strings.Cut(rest, "__")
}

// toolResult returns what a line tells of a result in addition to what the model reads of it: mcpMeta is next to the
// message. 2.1.197 omits it in sub-agents, where a result looks as if it had no _meta.
func toolResult(line, block rawjson.Members) carry.Result {
	r := carry.Result{Error: string(block.Get("is_error")) == "true"}
	if meta, err := rawjson.Object(line.Get("mcpMeta")); err == nil {
		r.Meta, r.Structured = meta.Get("_meta"), meta.Get("structuredContent")
	} else {
		r.Hidden = string(line.Get("isSidechain")) == "true"
	}
	return r
}
