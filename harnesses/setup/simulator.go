package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Simulator does for the doctor what a harness does around a tool call: it writes the events, names the shell and
// applies the hook's answer. It follows what the harness's binary was seen to do.
type Simulator interface {
	// Before returns the event that the harness writes before the call.
	Before(ToolCall) []byte
	// After returns the event that the harness writes after the call, or nil if it runs no hook for such a
	// result. result is a raw CallToolResult.
	After(p ToolCall, result []byte) []byte
	// Transcript returns the lines that it appends to p.Transcript after the call. It may be empty.
	Transcript(p ToolCall, result []byte) []byte
	// Apply returns the arguments that the harness sends to the server, given the hook's standard output and exit status. The error
	// says why the harness ignores the answer or blocks the call. It is [ErrDenied] if the answer denies the call.
	Apply(p ToolCall, stdout []byte, exit int) (args []byte, err error)
	// Shell returns the argument vector with which the harness runs a registered command.
	Shell(env Env, command string) []string
}

// ErrDenied is the error of [Simulator].Apply for an answer that denies the call, with the harness's words for it.
var ErrDenied = errors.New("the call is denied")

// ToolCall is one call in a rehearsal.
type ToolCall struct {
	Session, Agent, ID string
	Server, Tool       string // as registered, as the server calls it
	Args               []byte // raw JSON object as the model typed it
	Cwd                string // absolute
	// Transcript is the absolute path of the calling agent's transcript: <folder>/<session>.jsonl for the main
	// agent, <folder>/<session>/subagents/agent-<agent>.jsonl for a sub-agent.
	Transcript string
	Came       time.Time // when the harness got the result; zero: at any time
}

// Repeating is a [Simulator] of a harness that runs hooks for two events after one call.
type Repeating interface {
	// Earlier returns the event that precedes the one of After, for the same result.
	Earlier(p ToolCall, result []byte) []byte
}

// Batching is a [Simulator] of a harness that also runs hooks after all calls of a message, when its transcript has or soon
// gets their results.
type Batching interface {
	// Batch returns the event for a message with one call.
	Batch(p ToolCall, result []byte) []byte
}

// NoTranscript is the part of a [Simulator] of a harness without a transcript that wsi reads.
type NoTranscript struct{}

// Transcript returns nil.
func (NoTranscript) Transcript(ToolCall, []byte) []byte { return nil }

// ToolResult is a parsed CallToolResult.
type ToolResult struct {
	Content    []json.RawMessage `json:"content"`
	Structured json.RawMessage   `json:"structuredContent,omitempty"`
	IsError    bool              `json:"isError"`
	Meta       json.RawMessage   `json:"_meta,omitempty"`
}

// ParseToolResult parses a server's result. It returns an empty one for anything else.
func ParseToolResult(raw []byte) ToolResult {
	var r ToolResult
	if json.Unmarshal(raw, &r) != nil {
		return ToolResult{}
	}
	return r
}

// Text returns the concatenated text of the result's text blocks.
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

// Changed returns the arguments that a hook's answer has under a name: the model's own if it has none there, and an
// error if they are not an object.
func (p ToolCall) Changed(name string, args json.RawMessage) ([]byte, error) {
	switch {
	case args == nil:
		return p.Args, nil
	case args[0] != '{':
		return nil, fmt.Errorf("%s is not an object", name)
	}
	return args, nil
}

// JSONLine encodes an event or a transcript line of a [Simulator] as harnesses do: on one line, without HTML escapes.
func JSONLine(v any) []byte {
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("encode a simulator's event: %v", err)) // plain values and checked JSON
	}
	return line.Bytes()
}

// JSONText is [JSONLine] without the line end.
func JSONText(v any) string { return strings.TrimSuffix(string(JSONLine(v)), "\n") }

// Object is a JSON object: names and values in turn, which keep their order. Bytes are raw JSON. A member is left out
// if its value is nil.
type Object []any

// MarshalJSON implements [json.Marshaler].
func (o Object) MarshalJSON() ([]byte, error) {
	var members []string
	for i := 0; i < len(o); i += 2 {
		value := o[i+1]
		if raw, ok := value.([]byte); ok {
			value = json.RawMessage(raw)
		}
		if raw, ok := value.(json.RawMessage); value != nil && (!ok || raw != nil) {
			members = append(members, JSONText(o[i])+":"+JSONText(value))
		}
	}
	return []byte("{" + strings.Join(members, ",") + "}"), nil
}
