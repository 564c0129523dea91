package harnesses

import "wsi/hook/carry"

// Codec is one harness's way of writing events and of reading answers. Its methods are pure and
// fast: they run before and after every tool call. They scan, they do not decode; the slices they
// return are parts of the event.
type Codec interface {
	// Read takes an event apart. Whatever is not an event of this dialect is an error.
	Read(event []byte) (Event, error)

	// Tool returns the server's own name of the event's tool, and whether the tool is one of the
	// given server, a name as registered with the harness.
	Tool(ev Event, server string) (tool string, ok bool)

	// Answer renders the answer that makes the harness call with changed arguments.
	Answer(carry.Change) []byte

	// Nothing is the answer that changes nothing: empty or "{}".
	Nothing() []byte
}

// Kind is where in a call's life a hook runs.
type Kind string

// The kinds of event.
const (
	Before Kind = "before" // the call has not been made
	After  Kind = "after"  // the call was made and its result is in the event
	Failed Kind = "failed" // the call was made and failed; the event shows at most a text
	Other  Kind = "other"  // an event wsi has no business with
)

// Event is a hook event in no harness's dialect.
type Event struct {
	Kind    Kind
	Session string       // the harness's session id, "" when the event has none
	Agent   string       // the sub-agent's id, "" for the main agent
	ID      string       // of the call
	Name    string       // the tool's name as the harness writes it
	Server  string       // the server's name where the harness tells it
	Args    []byte       // raw JSON object, nil if the arguments are no object
	Result  carry.Result // what the event shows of it
	Output  []byte       // raw JSON of what the model will read, nil where a hook cannot change that
	File    string       // the transcript's path where the event names one
	By      string       // id of the harness that wrote the event, if the event betrays another one
}
