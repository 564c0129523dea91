package harnesses

import (
	"encoding/json"
	"slices"
	"strings"

	"wsi/hook/carry"
	"wsi/internal/jsonraw"
)

// Codec reads the hook events that one harness writes, and renders the answers that it reads. Its methods are pure and fast: they
// run before and after every tool call. They scan instead of decoding; the slices that they return are parts of the event.
type Codec interface {
	// Read parses an event. It returns an error for anything that is not an event of this harness.
	Read(event []byte) (Event, error)

	// Tool returns the server's own name of the event's tool. ok reports whether the tool belongs to the
	// server that is registered with the harness under this name.
	Tool(ev Event, server string) (tool string, ok bool)

	// Answer renders the answer that makes the harness call with changed arguments.
	Answer(carry.Change) []byte

	// Nothing returns the answer that changes nothing: empty or "{}".
	Nothing() []byte
}

// Kind is when a hook runs, relative to the call.
type Kind string

// The kinds of event.
const (
	Before Kind = "before" // the call has not been made
	After  Kind = "after"  // the call was made and its result is in the event
	Failed Kind = "failed" // the call was made and failed; the event shows at most a text
	Batch  Kind = "batch"  // all calls of one message of the model were made; Event.Calls has them
	// The main agent, or a sub-agent, is about to end its turn. A hook may show it a text, and it goes on.
	TurnEnd  Kind = "turn-end"
	AgentEnd Kind = "agent-end"
	Other    Kind = "" // an event that wsi ignores
)

// Event is a hook event, in the same form for every harness.
type Event struct {
	Kind    Kind
	Session string       // the harness's session id, "" when the event has none
	Agent   string       // the sub-agent's id, "" for the main agent
	ID      string       // of the call
	Name    string       // the tool's name as the harness writes it
	Server  string       // the server's name where the event has it
	Args    []byte       // raw JSON object, nil if the arguments are not an object
	Result  carry.Result // what the event shows of it
	File    string       // the transcript's path where the event names one
	Calls   []Event      // of a batch: ID, Name, Server and Args
	Goes    bool         // at the end of a turn: a hook has already made the agent go on
	By      string       // id of the harness that wrote the event, if it shows to be another one
}

// SafeName replaces every character of a server's or tool's name that keep rejects by "_", as harnesses do when
// they build a tool's name.
func SafeName(name string, keep func(r rune) bool) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && keep(r) {
			return r
		}
		return '_'
	}, name)
}

// WordOrHyphen keeps [A-Za-z0-9_-]: Claude Code 2.1.329, OpenCode 1.18.33.
func WordOrHyphen(r rune) bool { return r == '-' || Word(r) }

// Word keeps [A-Za-z0-9_]: Codex 0.169.0.
func Word(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// ReadResult parses a tool's result, which is valid JSON, in any form in which a harness passes it to hooks: a CallToolResult, an array
// of content blocks, the structured content, or a string that holds one of these or plain text.
func ReadResult(raw []byte) carry.Result {
	if len(raw) == 0 {
		return carry.Result{}
	}
	switch raw[0] {
	case '[':
		return carry.Result{Blocks: blocks(raw)}
	case '{':
		return object(raw)
	case '"':
		return text(raw)
	}
	return carry.Result{}
}

func text(raw []byte) carry.Result {
	s, ok := jsonraw.Unquote(raw)
	if ok && len(s) > 0 {
		inner := []byte(s)
		switch {
		case inner[0] == '{' && json.Valid(inner):
			return object(inner)
		case inner[0] == '[' && isContent(inner):
			return carry.Result{Blocks: blocks(inner)}
		}
	}
	return carry.Result{Blocks: []carry.Block{{Text: raw}}}
}

// isContent reports whether each element of an array is a content block. A tool's text may be another array.
func isContent(raw []byte) bool {
	elements, err := jsonraw.Array(raw)
	return err == nil && !slices.ContainsFunc(elements, func(e []byte) bool {
		m, err := jsonraw.Object(e)
		return err != nil || !slices.Contains(kinds, m.String("type"))
	})
}

// kinds are the types of content blocks (MCP 2025-11-25).
var kinds = []string{"text", "image", "audio", "resource", "resource_link"}

// object parses a CallToolResult. An object with none of its members is structured content.
func object(raw []byte) carry.Result {
	r := ResultIn(jsonraw.In(raw))
	if r.Meta == nil && r.Structured == nil && r.Blocks == nil {
		r.Structured = raw
	}
	return r
}

// ResultIn returns the CallToolResult that an object with these members is.
func ResultIn(m jsonraw.Members) carry.Result {
	return carry.Result{
		Meta:       m.Get("_meta"),
		Structured: m.Get("structuredContent"),
		Blocks:     blocks(m.Get("content")),
		Error:      string(m.Get("isError")) == "true",
	}
}

func blocks(raw []byte) []carry.Block {
	elements, err := jsonraw.ArrayIn(raw)
	if err != nil {
		return nil
	}
	list := make([]carry.Block, 0, len(elements))
	for _, e := range elements {
		if m, err := jsonraw.ObjectIn(e); err == nil {
			list = append(list, carry.Block{Text: m.Get("text"), Meta: m.Get("_meta")})
		}
	}
	return list
}

// Inside returns the members of the object at a path of keys in raw; with no keys, those of raw itself. It returns none
// if one of these is not an object.
func Inside(raw []byte, keys ...string) jsonraw.Members {
	members, _ := jsonraw.Object(raw)
	for _, key := range keys {
		members = members.In(key)
	}
	return members
}

// RawObject returns raw if it begins an object, else nil.
func RawObject(raw []byte) []byte {
	if len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	return raw
}
