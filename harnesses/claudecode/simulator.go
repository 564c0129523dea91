package claudecode

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"wsi/harnesses"
)

// Simulator simulates Claude Code 2.1.329, headless.
type Simulator struct{}

// event is a hook event, with members in the order in which Claude Code writes them.
type event struct {
	Session      string          `json:"session_id"`
	Transcript   string          `json:"transcript_path"`
	Cwd          string          `json:"cwd"`
	Prompt       string          `json:"prompt_id"`
	Mode         string          `json:"permission_mode"`
	Agent        string          `json:"agent_id,omitempty"`
	AgentType    string          `json:"agent_type,omitempty"`
	Event        string          `json:"hook_event_name"`
	Tool         string          `json:"tool_name"`
	Input        json.RawMessage `json:"tool_input"`
	Response     json.RawMessage `json:"tool_response,omitempty"`
	ID           string          `json:"tool_use_id"`
	Error        *string         `json:"error,omitempty"`
	Interrupt    *bool           `json:"is_interrupt,omitempty"`
	Milliseconds int             `json:"duration_ms,omitempty"`
	Server       server          `json:"mcp_server"`
}

type server struct {
	Name   string `json:"name"`
	Source string `json:"source"`
}

const prompt = "5e6cde0b-1f8f-4b0e-9a5e-000000000001"

func newEvent(p harnesses.ToolCall, name string) event {
	e := event{
		Session: p.Session, Transcript: p.Transcript, Cwd: p.Cwd, Prompt: prompt, Mode: "default",
		Event: name, Input: p.Args, ID: p.ID, Server: server{p.Server, "user"},
		Tool: "mcp__" + harnesses.SafeName(p.Server, harnesses.WordOrHyphen) + "__" + harnesses.SafeName(p.Tool, harnesses.WordOrHyphen),
	}
	if p.Agent != "" {
		// A sub-agent's events name the main agent's transcript, <session>.jsonl next to <session>/.
		e.Transcript = filepath.Dir(filepath.Dir(p.Transcript)) + ".jsonl"
		e.Agent, e.AgentType = p.Agent, "general-purpose"
	}
	return e
}

// Before returns a PreToolUse event.
func (Simulator) Before(p harnesses.ToolCall) []byte {
	return harnesses.JSONLine(newEvent(p, "PreToolUse"))
}

// After returns a PostToolUse event, or PostToolUseFailure for a result marked as an error. No event
// has the result's _meta.
func (Simulator) After(p harnesses.ToolCall, result []byte) []byte {
	r := harnesses.ParseToolResult(result)
	e := newEvent(p, "PostToolUse")
	e.Milliseconds = 7
	if r.IsError {
		e.Event = "PostToolUseFailure"
		text, no := r.Text(), false
		e.Error, e.Interrupt = &text, &no
	} else {
		e.Response = response(r)
	}
	return harnesses.JSONLine(e)
}

// response returns the array of content blocks with their own _meta or, if there is structured content, only that, as
// a string.
func response(r harnesses.ToolResult) []byte {
	if r.Structured != nil {
		return structured(r)
	}
	return harnesses.JSONLine(r.Content)
}

func structured(r harnesses.ToolResult) []byte {
	text := bytes.TrimSuffix(harnesses.JSONLine(r.Structured), []byte("\n"))
	return harnesses.JSONLine(string(text))
}

// line is a transcript line with a tool's result.
type line struct {
	Parent     string          `json:"parentUuid"`
	Sidechain  bool            `json:"isSidechain"`
	Prompt     string          `json:"promptId"`
	Agent      string          `json:"agentId,omitempty"`
	Type       string          `json:"type"`
	Message    message         `json:"message"`
	UUID       string          `json:"uuid"`
	Time       string          `json:"timestamp"`
	ToolResult json.RawMessage `json:"toolUseResult,omitempty"` // of the main agent only
	MCPMeta    *mcpMeta        `json:"mcpMeta,omitempty"`
	Hint       string          `json:"mcpCallNotReadOnly,omitempty"` // of a sub-agent
	Source     string          `json:"sourceToolAssistantUUID"`
	Permission permission      `json:"permissionDecision"`
	User       string          `json:"userType"`
	Entry      string          `json:"entrypoint"`
	Cwd        string          `json:"cwd"`
	Session    string          `json:"sessionId"`
	Version    string          `json:"version"`
	Branch     string          `json:"gitBranch"`
}

type message struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

type block struct {
	Type    string          `json:"type"`
	Content json.RawMessage `json:"content"`
	Error   bool            `json:"is_error,omitempty"`
	ID      string          `json:"tool_use_id"`
}

type mcpMeta struct {
	Meta       json.RawMessage `json:"_meta,omitempty"`
	Structured json.RawMessage `json:"structuredContent,omitempty"`
}

type permission struct {
	Decision string `json:"decision"`
	Source   string `json:"source"`
	Reason   string `json:"reasonType"`
	Rule     string `json:"ruleSource"`
}

// Transcript returns the line with the call's result. It holds the result's _meta, for an error as well.
func (Simulator) Transcript(p harnesses.ToolCall, result []byte) []byte {
	r := harnesses.ParseToolResult(result)
	const parent = "5e6cde0b-1f8f-4b0e-9a5e-000000000002"
	l := line{
		Parent: parent, Source: parent, Prompt: prompt, Type: "user",
		UUID: "5e6cde0b-1f8f-4b0e-9a5e-000000000003", Time: "2026-11-20T15:02:07.529Z",
		Permission: permission{"accept", "user_permanent", "rule", "userSettings"},
		User:       "external", Entry: "sdk-cli", Cwd: p.Cwd, Session: p.Session, Version: "2.1.329", Branch: "HEAD",
	}
	shown := shown(r)
	l.Message = message{"user", []block{{"tool_result", shown, r.IsError, p.ID}}}
	if r.Meta != nil || r.Structured != nil {
		l.MCPMeta = &mcpMeta{r.Meta, r.Structured}
	}
	switch {
	case p.Agent != "":
		l.Sidechain, l.Agent, l.Hint = true, p.Agent, "no_hint"
	case r.IsError:
		l.ToolResult = harnesses.JSONLine("Error: " + r.Text())
	default:
		l.ToolResult = shown
	}
	return harnesses.JSONLine(l)
}

// shown returns the result as the model sees it: blocks without their _meta, the structured content, or an error's
// text.
func shown(r harnesses.ToolResult) []byte {
	switch {
	case r.IsError:
		return harnesses.JSONLine(r.Text())
	case r.Structured != nil:
		return structured(r)
	}
	blocks := make([]map[string]json.RawMessage, len(r.Content))
	for i, raw := range r.Content {
		if json.Unmarshal(raw, &blocks[i]) == nil {
			delete(blocks[i], "_meta")
		}
	}
	return harnesses.JSONLine(blocks)
}

// Apply does what Claude Code does with each kind of answer. updatedInput replaces all arguments. A decision next to it
// does harm: "allow" approves the call without the user, and any other one stops it.
func (Simulator) Apply(p harnesses.ToolCall, stdout []byte, exit int) ([]byte, error) {
	if exit == 2 {
		return nil, errors.New("a hook that exits with status 2 blocks the call")
	}
	stdout = bytes.TrimSpace(stdout)
	if len(stdout) == 0 {
		return p.Args, nil
	}
	var answer struct {
		UpdatedInput json.RawMessage `json:"updatedInput"`
		Specific     *struct {
			Event        string          `json:"hookEventName"`
			Decision     *string         `json:"permissionDecision"`
			UpdatedInput json.RawMessage `json:"updatedInput"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal(stdout, &answer); err != nil {
		return nil, errors.New("the answer is not a JSON object, so Claude Code ignores it")
	}
	s := answer.Specific
	switch {
	case answer.UpdatedInput != nil:
		return nil, errors.New("updatedInput is at the top level, where Claude Code ignores it")
	case s == nil:
		return p.Args, nil
	case s.Event != "PreToolUse":
		return nil, fmt.Errorf("hookEventName is %q and not PreToolUse, so Claude Code ignores the answer", s.Event)
	case s.Decision != nil && *s.Decision == "allow":
		return nil, errors.New(`permissionDecision "allow" would approve the call without the user`)
	case s.Decision != nil && *s.Decision == "deny":
		return nil, fmt.Errorf("%w: permissionDecision %q stops it", harnesses.ErrDenied, *s.Decision)
	case s.Decision != nil:
		return nil, fmt.Errorf("permissionDecision %q stops the call", *s.Decision)
	case s.UpdatedInput == nil:
		return p.Args, nil
	case s.UpdatedInput[0] != '{':
		return nil, errors.New("updatedInput is not an object")
	}
	return s.UpdatedInput, nil
}

// Shell is /bin/sh, whatever the user's shell is. On Windows, where nothing was measured, Git Bash is assumed.
func (Simulator) Shell(goos, command string) []string {
	if goos == "windows" {
		return []string{"bash", "-c", command}
	}
	return []string{"/bin/sh", "-c", command}
}

// meta names the call by the id under which a hook notes the caller (2.1.197 and 2.1.329).
func meta(p harnesses.ToolCall) []byte {
	return harnesses.JSONLine(map[string]string{"claudecode/toolUseId": p.ID})
}
