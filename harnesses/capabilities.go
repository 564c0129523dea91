package harnesses

import (
	"time"

	"wsi/hook/carry"
)

// Capabilities says what a harness's hooks can do besides changing arguments, and what the harness tells
// a relay. With the zero value they can do nothing else, and the relay is told nothing.
type Capabilities struct {
	// Deny renders the hook's answer that refuses a call, with a reason that the model reads. Nil: a hook
	// cannot refuse a call.
	Deny func(reason string) []byte

	// Tell renders the hook's answer that leaves the call as it is and shows the model a text. Nil: a hook
	// cannot show the model anything.
	Tell func(text string) []byte

	// Rewrite renders the hook's answer that replaces what the model reads of a result: output is
	// [Event.Output] with other texts in it. Nil: a hook cannot replace it.
	Rewrite func(output []byte) []byte

	// Add renders the answer of a hook after a call, or after a batch of calls, that shows the model a text in
	// addition to the result. output is the argument of Rewrite, nil if the result stays as it is. It returns nil for
	// kinds of event where that is not possible. Nil: it never is.
	Add func(kind Kind, text string, output []byte) []byte

	// ShowsMeta: the model reads the _meta of results as the server wrote it, so that there is nothing to show.
	ShowsMeta bool

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

	// Mark returns the change that writes the caller into the arguments, in [MarkArgument]: the harness tells
	// servers nothing of the caller. The relay removes it. Nil: arguments are not marked.
	Mark func(Event) carry.Change

	// Caller returns what a tools/call says of its caller. meta is the raw _meta of its parameters, nil
	// without one; args are its raw arguments. Nil: calls say nothing.
	Caller func(meta, args []byte) Caller

	// SessionVariable is the environment variable in which a server finds the session's id, "" if there is
	// none.
	SessionVariable string

	// StopTimeout is how long a server may take to end once the harness has asked it to; 0 means that the
	// harness sets no limit.
	StopTimeout time.Duration
}

// MarkArgument is the argument that holds a mark. No server has an argument of this name.
const MarkArgument = "_wsi"

// Caller is what a tools/call says of its caller.
type Caller struct {
	Session, Agent string // Session "": not named. Agent "": the main agent
	Note           string // the id under which a hook has noted the caller, "" if there is none
	Marked         bool   // the arguments hold a mark
}
