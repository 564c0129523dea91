package harnesses

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Simulator plays a harness's side of a tool call, for the doctor: the events it would write, the shell
// it would use, the rules by which it judges an answer. Facts, each from the harness's binary.
type Simulator interface {
	// Before returns the event that the harness writes before the call.
	Before(ToolCall) []byte
	// After returns the event it writes after the call, or nil where it fires none for such a
	// result. result is a raw CallToolResult.
	After(p ToolCall, result []byte) []byte
	// Transcript returns what it appends to the transcript p.Transcript after the call: "" or
	// whole lines.
	Transcript(p ToolCall, result []byte) []byte
	// Apply returns the arguments that the harness sends to the server, given the hook's standard
	// output and exit status. An error says in one sentence why it ignores the answer or blocks
	// the call.
	Apply(p ToolCall, stdout []byte, exit int) (args []byte, err error)
	// Shell returns the argument vector with which the harness runs a registered command.
	Shell(goos, command string) []string
}

// ToolCall is one call in a rehearsal.
type ToolCall struct {
	Session, Agent, ID string
	Server, Tool       string // as registered, as the server calls it
	Beside             string // another server of the harness's, "" = none: in tools' names both can look alike
	Args               []byte // raw JSON object as the model typed it
	Cwd                string // absolute
	// Transcript is the file, absolute, that the calling agent's lines go to: <folder>/<session>.jsonl
	// of the main agent, <folder>/<session>/subagents/agent-<agent>.jsonl of a sub-agent.
	Transcript string
}

// Repeating is a Twin whose harness runs hooks of two events after one call.
type Repeating interface {
	// Earlier returns the event that is written before that of After, about the same result.
	Earlier(p ToolCall, result []byte) []byte
}

// ToolResult is a CallToolResult taken apart, for twins.
type ToolResult struct {
	Content    []json.RawMessage `json:"content"`
	Structured json.RawMessage   `json:"structuredContent,omitempty"`
	IsError    bool              `json:"isError"`
	Meta       json.RawMessage   `json:"_meta,omitempty"`
}

// ParseToolResult reads what a server answered. Whatever is no result is an empty one.
func ParseToolResult(raw []byte) ToolResult {
	var r ToolResult
	if json.Unmarshal(raw, &r) != nil {
		return ToolResult{}
	}
	return r
}

// Text returns the text of the result's text blocks, one after the other.
func (r ToolResult) Text() string {
	var text bytes.Buffer
	for _, raw := range r.Content {
		var block struct{ Text string }
		if json.Unmarshal(raw, &block) == nil {
			text.WriteString(block.Text)
		}
	}
	return text.String()
}

// JSONLine encodes one of a twin's events or transcript lines as harnesses do: on one line, with no
// character escaped for HTML.
func JSONLine(v any) []byte {
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("a twin's event cannot be encoded: %v", err)) // plain structs and checked JSON
	}
	return line.Bytes()
}
