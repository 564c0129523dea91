// Package harnesses is what hooks and relays must know of the programs in which models call MCP tools: how their hook
// events are read and answered, what their hooks can do besides, and the words of the command lines that they run. Each
// folder below it, other than setup, has that for one harness; package harnesses/dialects lists them. Package
// harnesses/setup is what the installer and the doctor must know.
//
// It must not know where a harness keeps its files or how it is set up.
package harnesses

import (
	"errors"
	"fmt"
	"slices"

	"wsi/internal/rawjson"
)

// Dialect is how a harness speaks with hooks and servers. It is all that a hook or a relay needs to know of a harness.
type Dialect struct {
	Codec        Codec // nil: wsi reads no events of the harness
	Capabilities Capabilities

	// Older: only an older wsi registered hooks. They still run, and change nothing.
	Older bool

	// Recorded: the doctor may ask the harness's hooks to record the form of its events.
	Recorded bool
}

// Members are the names of the members of a harness's events, "" for those that they do not have.
type Members struct {
	Kind, Session, Agent, ID, Name, Server, Args, File string

	Of    string          // what writes the events
	Kinds map[string]Kind // of their kinds; all others are [Other]
	Bare  []string        // the kinds without a tool
}

// Read parses an event, without its result. It also returns all members.
func (names Members) Read(event []byte) (Event, rawjson.Members, error) {
	m, err := rawjson.Object(event)
	if err != nil {
		return Event{}, nil, err
	}
	kind, known := names.Kinds[m.String(names.Kind)]
	if !known {
		kind = Other
	}
	ev := Event{
		Kind: kind, Session: m.String(names.Session), Agent: m.String(names.Agent), ID: m.String(names.ID),
		Name: m.String(names.Name), Server: m.String(names.Server), Args: RawObject(m.Get(names.Args)), File: m.String(names.File),
	}
	if ev.Name == "" && !slices.Contains(names.Bare, m.String(names.Kind)) {
		return ev, m, errors.New("not " + names.Of)
	}
	return ev, m, nil
}

// ClaudeMembers are the names in events of Claude Code, and of Codex.
func ClaudeMembers() Members {
	return Members{
		Kind: "hook_event_name", Session: "session_id", Agent: "agent_id", ID: "tool_use_id", Name: "tool_name", Args: "tool_input",
		File: "transcript_path",
	}
}

// Forms of the answers of Claude Code, and of Codex, to an event before a call.
const (
	ClaudeDeny = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":%s}}`
	ClaudeTell = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":%s}}`
)

// Render returns an answer: a form with raw JSON at each %s.
func Render(form string, raw ...any) []byte { return fmt.Appendf(nil, form+"\n", raw...) }

// Saying returns a function that renders an answer with a text, quoted.
func Saying(form string) func(text string) []byte {
	return func(text string) []byte { return Render(form, rawjson.Quote(text)) }
}

// Adding returns [Capabilities.Add] of a harness in which only the answer to one kind of event can show a text.
func Adding(only Kind, form string) func(Kind, string, []byte) []byte {
	return func(kind Kind, text string, _ []byte) []byte {
		if kind != only {
			return nil
		}
		return Render(form, rawjson.Quote(text))
	}
}

// Silent is the part of a [Codec] of a harness that needs no output from a hook that changes nothing.
type Silent struct{}

// Nothing returns no output.
func (Silent) Nothing() []byte { return nil }
