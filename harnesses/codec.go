package harnesses

import "wsi/hook/carry"

// Codec reads the hook events that one harness writes, and renders the answers that it reads. Its methods are
// pure and fast: they run before and after every tool call. They scan instead of decoding; the slices
// that they return are parts of the event.
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
	Other  Kind = "other"  // an event that wsi ignores, such as one for which only an older wsi registered hooks
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
	Output  []byte       // raw JSON of what the model will read, nil where a hook cannot change that
	File    string       // the transcript's path where the event names one
	Calls   []Event      // of a batch: ID, Name, Server and Args
	By      string       // id of the harness that wrote the event, if it shows to be another one
}
