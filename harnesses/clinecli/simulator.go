package clinecli

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"wsi/harnesses"
)

// Simulator simulates Cline CLI 3.0.65, headless.
type Simulator struct{ harnesses.NoTranscript }

// event returns the input of a hook, with members in the order in which Cline CLI writes them. call and its short form
// have the members of an event after the call.
func event(p harnesses.ToolCall, name string, call harnesses.Object, shortName string, short harnesses.Object) []byte {
	const main = "agent_1795282895722_16qheo"
	agent, parent := main, []byte("null")
	if p.Agent != "" {
		agent, parent = p.Agent, harnesses.JSONLine(main)
	}
	tool := called(p.Server, p.Tool)
	return harnesses.JSONLine(harnesses.Object{
		"clineVersion", "",
		"timestamp", now,
		"taskId", "conv_1795282895823_zgzjmf6",
		"sessionContext",
		harnesses.Object{"rootSessionId", p.Session},
		"workspaceRoots",
		[]string{p.Cwd},
		"workspaceInfo",
		harnesses.Object{"rootPath", p.Cwd, "hint", "proj"},
		"userId", "unknown",
		"agent_id", agent,
		"parent_agent_id", parent,
		"hookName", name,
		"iteration", 1,
		name, slices.Concat(harnesses.Object{"id", p.ID, "name", tool, "input", p.Args}, call),
		shortName, slices.Concat(harnesses.Object{"toolName", tool, "parameters", inStrings(p.Args)}, short),
	})
}

const now = "2026-11-21T17:41:37.938Z"

func inStrings(args []byte) map[string]string {
	var members map[string]json.RawMessage
	if json.Unmarshal(args, &members) != nil {
		return nil
	}
	all := make(map[string]string, len(members))
	for name, raw := range members {
		var s string
		if json.Unmarshal(raw, &s) != nil {
			s = string(raw)
		}
		all[name] = s
	}
	return all
}

// Before returns the input of PreToolUse.
func (Simulator) Before(p harnesses.ToolCall) []byte {
	return event(p, "tool_call", nil, "preToolUse", nil)
}

// After returns the input of PostToolUse: the whole result, even if it is an error.
func (Simulator) After(p harnesses.ToolCall, result []byte) []byte {
	return event(p, "tool_result", harnesses.Object{"output", result, "durationMs", 7, "startedAt", now, "endedAt", now},
		"postToolUse", harnesses.Object{"result", string(result), "success", true, "executionTimeMs", 7})
}

// Apply ignores the exit status, as Cline CLI does. If a hook fails, the call keeps its arguments.
func (Simulator) Apply(p harnesses.ToolCall, stdout []byte, _ int) ([]byte, error) {
	if stdout = bytes.TrimSpace(stdout); len(stdout) == 0 {
		return p.Args, nil
	}
	var answer struct {
		Cancel bool            `json:"cancel"`
		Input  json.RawMessage `json:"overrideInput"`
	}
	switch err := json.Unmarshal(stdout, &answer); {
	case err != nil:
		return nil, errors.New("the answer is not a JSON object")
	case answer.Cancel:
		return nil, errors.New("cancel stops the call")
	}
	return p.Changed("overrideInput", answer.Input)
}

// Shell is bash, with which Cline CLI runs the file that holds the command.
func (Simulator) Shell(_ harnesses.Env, command string) []string {
	return []string{"bash", "-c", command}
}
