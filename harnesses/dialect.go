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
	"strings"
	"time"

	"wsi/hook/carry"
	"wsi/internal/jsonraw"
)

// Dialect is how a harness speaks with hooks and servers. It is all that a hook or a relay needs to know of a harness.
type Dialect struct {
	Codec        Codec // nil: wsi reads no events of the harness
	Capabilities Capabilities
}

// Members are the names of the members of a harness's events, "" for those that they do not have.
type Members struct {
	Kind, Session, Agent, ID, Name, Server, Args, File string

	Of    string          // what writes the events
	Kinds map[string]Kind // of their kinds; all others are [Other]
	Bare  []string        // the kinds without a tool
}

// Read parses an event, without its result. It also returns all members.
func (names Members) Read(event []byte) (Event, jsonraw.Members, error) {
	m, err := jsonraw.Object(event)
	if err != nil {
		return Event{}, nil, err
	}
	ev := Event{
		Kind: names.Kinds[m.String(names.Kind)], Session: m.String(names.Session), Agent: m.String(names.Agent), ID: m.String(names.ID),
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
	return func(text string) []byte { return Render(form, jsonraw.Quote(text)) }
}

// Adding returns [Capabilities.Add] of a harness in which only the answer to one kind of event can show a text.
func Adding(only Kind, form string) func(Kind, string) []byte {
	return func(kind Kind, text string) []byte {
		if kind != only {
			return nil
		}
		return Render(form, jsonraw.Quote(text))
	}
}

// Silent is the part of a [Codec] of a harness that needs no output from a hook that changes nothing.
type Silent struct{}

// Nothing returns no output.
func (Silent) Nothing() []byte { return nil }

// Capabilities says what a harness's hooks can do besides changing arguments, and what the harness tells
// a relay. With the zero value they can do nothing else, and the relay is told nothing.
type Capabilities struct {
	// Deny renders the hook's answer that refuses a call, with a reason that the model reads. Nil: a hook cannot refuse a call.
	Deny func(reason string) []byte
	// Tell renders the hook's answer that leaves the call as it is and shows the model a text. Nil: a hook
	// cannot show the model anything.
	Tell func(text string) []byte
	// Add renders the answer of a hook after a call, or after a batch of calls, that shows the model a text in
	// addition to the result. It returns nil for
	// kinds of event where that is not possible. Nil: it never is.
	Add func(kind Kind, text string) []byte
	// ShowsMeta: the model reads the _meta of results as the server wrote it, so that there is nothing to show.
	ShowsMeta bool
	// OnlyStructured: of a result with structuredContent the model reads nothing else, so that a relay can add nothing.
	OnlyStructured bool
	// Transcripts returns the files in which the result of the event's call can appear, and TranscriptLine
	// reads one line of such a file; found reports whether it holds the result of the call with this id.
	// Nil: events show as much of a result as the transcript does.
	Transcripts    func(Event) []string
	TranscriptLine func(line []byte, id string) (result carry.Result, found bool)
	// NoHookAfterFailure: no hook runs after a call that failed. Its result is in the transcript, so the hook
	// before the call must note it.
	NoHookAfterFailure bool
	// MayOmitServer: an event may name a tool without its server. [Event.Server] is empty then.
	MayOmitServer bool
	// RunByOther reports, from the hook's environment, whether another harness runs this one's hooks. Nil:
	// the environment does not show it.
	RunByOther func(getenv func(string) string) bool
	// Note returns the id under which a hook notes who makes a call, for the relay: wsi inject --relay. Nil: no hook has to, or
	// none can.
	Note func(Event) string
	// Marks: the harness sends servers no such id, so the hook puts it into the arguments, in [MarkArgument]. The relay removes it.
	Marks bool
	// Caller returns what the raw _meta of a tools/call, nil without one, says of its caller. Nil: nothing.
	Caller func(meta []byte) Caller
	// SessionVariable is the environment variable in which a server finds the session's id, "" if there is none.
	SessionVariable string
	// StopTimeout is how long a server may take to end once the harness has asked it to; 0 means that the harness sets no limit.
	StopTimeout time.Duration
}

// MarkArgument is the argument with the id of a call's note. No server has an argument of this name.
const MarkArgument = "_wsi"

// Caller is what a tools/call says of its caller.
type Caller struct {
	Session, Agent string // Session "": not named. Agent "": the main agent
	Note           string // the id under which a hook may have noted the caller, "" if there is none
}

// DefaultServer is the server that wsi carries values for when no other is named.
const DefaultServer = "workflow-server"

// Verbs of wsi on a registered command line: two of hooks, and that of the command that is started instead of an MCP server.
const (
	Inject  = "inject"
	Capture = "capture"
	Relay   = "relay"
)

// ServerWord returns the argument of --server: the name under which a server is registered and, if as is not
// empty, "=" and the server that has its rules.
func ServerWord(name, as string) string {
	if as == "" {
		return name
	}
	return name + "=" + as
}

// ParseServer parses what [ServerWord] returns.
func ParseServer(word string) (name, as string) {
	name, as, _ = strings.Cut(word, "=")
	return name, as
}

// ParseServers parses several words of [ServerWord].
func ParseServers(words []string) (names []string, as map[string]string) {
	for _, word := range words {
		name, of := ParseServer(word)
		names = append(names, name)
		if of != "" {
			if as == nil {
				as = map[string]string{}
			}
			as[name] = of
		}
	}
	return names, as
}
