package clinecli

import (
	"bytes"
	"encoding/json"
	"errors"

	"wsi/harnesses"
)

// Simulator simulates Cline CLI 3.0.65, headless.
type Simulator struct{}

// event is the input of a hook, with members in the order in which Cline CLI writes them.
type event struct {
	Version string `json:"clineVersion"`
	Time    string `json:"timestamp"`
	Task    string `json:"taskId"`
	Context struct {
		Root string `json:"rootSessionId"`
	} `json:"sessionContext"`
	Roots []string `json:"workspaceRoots"`
	Info  struct {
		Root string `json:"rootPath"`
		Hint string `json:"hint"`
	} `json:"workspaceInfo"`
	User      string  `json:"userId"`
	Agent     string  `json:"agent_id"`
	Parent    *string `json:"parent_agent_id"`
	Name      string  `json:"hookName"`
	Iteration int     `json:"iteration"`
	Call      *call   `json:"tool_call,omitempty"`
	Result    *call   `json:"tool_result,omitempty"`
	Before    *short  `json:"preToolUse,omitempty"`
	After     *short  `json:"postToolUse,omitempty"`
}

type call struct {
	ID           string          `json:"id"`
	Name         string          `json:"name"`
	Input        json.RawMessage `json:"input"`
	Output       json.RawMessage `json:"output,omitempty"`
	Milliseconds int             `json:"durationMs,omitempty"`
	Started      string          `json:"startedAt,omitempty"`
	Ended        string          `json:"endedAt,omitempty"`
}

// short repeats the same with strings only.
type short struct {
	Tool         string            `json:"toolName"`
	Parameters   map[string]string `json:"parameters"`
	Result       string            `json:"result,omitempty"`
	Success      bool              `json:"success,omitempty"`
	Milliseconds int               `json:"executionTimeMs,omitempty"`
}

func newEvent(p harnesses.ToolCall, name string) (event, call, short) {
	const main, now = "agent_1795282895722_16qheo", "2026-11-21T17:41:37.938Z"
	e := event{Time: now, Task: "conv_1795282895823_zgzjmf6", Roots: []string{p.Cwd}, User: "unknown", Agent: main, Name: name, Iteration: 1}
	e.Context.Root, e.Info.Root, e.Info.Hint = p.Session, p.Cwd, "proj"
	if parent := main; p.Agent != "" {
		e.Agent, e.Parent = p.Agent, &parent
	}
	tool := called(p.Server, p.Tool)
	return e, call{ID: p.ID, Name: tool, Input: p.Args}, short{Tool: tool, Parameters: inStrings(p.Args)}
}

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
	e, c, s := newEvent(p, "tool_call")
	e.Call, e.Before = &c, &s
	return harnesses.JSONLine(e)
}

// After returns the input of PostToolUse: the whole result, even if it is an error.
func (Simulator) After(p harnesses.ToolCall, result []byte) []byte {
	e, c, s := newEvent(p, "tool_result")
	c.Output, c.Milliseconds, c.Started, c.Ended = result, 7, e.Time, e.Time
	s.Result, s.Success, s.Milliseconds = string(result), true, 7
	e.Result, e.After = &c, &s
	return harnesses.JSONLine(e)
}

// Transcript returns nil: wsi reads no transcripts of Cline CLI.
func (Simulator) Transcript(harnesses.ToolCall, []byte) []byte { return nil }

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
	case answer.Input == nil:
		return p.Args, nil
	case answer.Input[0] != '{':
		return nil, errors.New("overrideInput is not an object")
	}
	return answer.Input, nil
}

// Shell is bash, with which Cline CLI runs the file that holds the command.
func (Simulator) Shell(_, command string) []string { return []string{"bash", "-c", command} }
