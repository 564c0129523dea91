package codex

import (
	"path/filepath"
	"strings"

	"wsi/harnesses"
	"wsi/internal/rawjson"
)

// history reads rollouts: one file for each session and each sub-agent (0.169.0).
func history() harnesses.History {
	return harnesses.History{
		Places: func(env harnesses.Env) []string {
			home := locate(env).ConfigHome
			return []string{filepath.Join(home, "sessions"), filepath.Join(home, "archived_sessions")}
		},
		Begins: func(begin []byte) bool {
			for _, first := range harnesses.Members(begin) {
				_, payload := first["payload"]
				return payload && first["type"] == "session_meta"
			}
			return false
		},
		Read: func(r harnesses.Recording, each func(harnesses.Step), skip func(string)) error {
			return harnesses.EachLine(r.Reader(), func(line rawjson.Members) { readLine(line, each) }, skip)
		},
	}
}

func readLine(line rawjson.Members, each func(harnesses.Step)) {
	payload, _ := rawjson.ObjectIn(line.Get("payload"))
	switch line.String("type") {
	case "response_item":
		readItem(payload, each)
	case "event_msg":
		if item, err := rawjson.ObjectIn(payload.Get("item")); err == nil && item.String("type") == "McpToolCall" {
			call := harnesses.Step{Kind: harnesses.Called, ID: item.String("id"), Server: item.String("server"), Tool: item.String("tool"), Args: item.Get("arguments")}
			each(call)
			result, _ := itemResult(item)
			result.Error = result.Error || item.String("status") == "failed" // a JSON-RPC error has no result
			each(harnesses.Step{Kind: harnesses.Returned, ID: call.ID, Result: result, Texts: [][]byte{item.Get("result")}})
		}
	case "compacted":
		step := harnesses.Step{Kind: harnesses.Summarized, Texts: [][]byte{payload.Get("message"), payload.Get("replacement_history")}}
		summary := payload.String("message")
		if summary == "" { // encrypted
			step.Texts = nil
		}
		step.Message = summary[max(0, len(summary)-200):] // it has no id
		each(step)
	}
}

// readItem reads what passes between Codex and the model. A call of an MCP server's tool has two items, and an event
// between them.
func readItem(item rawjson.Members, each func(harnesses.Step)) {
	step := harnesses.Step{ID: item.String("call_id")}
	switch item.String("type") {
	case "message":
		step.Texts = [][]byte{item.Get("content")}
		if item.String("role") == "assistant" {
			step.Kind = harnesses.Said
		}
	case "function_call":
		step.Kind, step.Texts = harnesses.Said, [][]byte{item.Get("arguments")}
		if server, tool, ok := serverTool(item.String("namespace"), item.String("name")); ok {
			args, _ := rawjson.Unquote(item.Get("arguments"))
			step.Kind, step.Server, step.Tool, step.Args = harnesses.Called, server, tool, []byte(args)
		}
	case "custom_tool_call":
		step.Kind, step.Texts = harnesses.Said, [][]byte{item.Get("input")}
	case "function_call_output", "custom_tool_call_output":
		step.Kind, step.Texts = harnesses.Returned, [][]byte{item.Get("output")}
		step.Result = harnesses.ReadResult(item.Get("output"))
	default:
		return
	}
	each(step)
}

// serverTool parses a tool's name: mcp__<server> is its namespace, or the beginning of its name.
func serverTool(namespace, name string) (server, tool string, ok bool) {
	if server, ok = strings.CutPrefix(namespace, "mcp__"); ok {
		return strings.TrimSuffix(server, "__"), name, true
	}
	if rest, ok := strings.CutPrefix(name, "mcp__"); ok {
		return strings.Cut(rest, "__")
	}
	return "", "", false
}
