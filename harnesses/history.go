package harnesses

import (
	"io"
	"time"

	"wsi/hook/carry"
)

// History is how the sessions are read that a harness has recorded. Without Read they cannot be.
type History struct {
	// Places returns the files and folders in which the harness records sessions, whether they exist or not.
	Places func(Env) []string

	// Begins reports whether a file that begins with these bytes is such a record. The bytes may end anywhere.
	Begins func(begin []byte) bool

	// Read calls each for every step of a record, in order, and skip with the reason for every part that cannot be
	// read. It needs no more memory for a longer record. Its error is that of a record of which nothing more
	// can be read.
	Read func(r Recording, each func(Step), skip func(why string)) error

	// HookRuns calls each for every run of a hook that a record shows, in order, from the byte at which a line begins. Nil:
	// the harness does not record them. HookRunsLack says in a sentence which runs it does not record, "" = none are missing.
	HookRuns     func(r Recording, from int64, each func(HookRun)) error
	HookRunsLack string
}

// HookRun is a run of a hook in a recorded session. Its texts are as recorded.
type HookRun struct {
	Event, Command string
	At             time.Time
	Took           time.Duration // 0 = not recorded
	Failed         bool
}

// Recording is a file with recorded sessions.
type Recording struct {
	File io.ReaderAt
	Size int64

	Log     io.ReaderAt // the write-ahead log of a database, the file next to it that ends in "-wal"; nil if there is none
	LogSize int64

	Servers []string // the servers that are registered with the harness now
}

// Reader returns a reader of the whole file.
func (r Recording) Reader() io.Reader { return io.NewSectionReader(r.File, 0, r.Size) }

// Step is something that happened in a recorded session. Its slices are valid until the function returns that gets
// them.
type Step struct {
	Kind StepKind

	// Session names the session, or the agent of a session, within the recording. Each has seen only its own
	// steps. The steps of one may stand between those of another.
	Session string

	// Message names the message that the step is part of, "" if it has no name.
	Message string

	// ID names the call; a session that was forked or resumed may have recorded the same one again. Called and
	// Returned.
	ID string

	Server, Tool string       // Called: of an MCP server, by their names
	Args         []byte       // Called: a raw JSON object
	Result       carry.Result // Returned

	// Texts are what the model read or wrote, raw JSON values. Summarized: what is left of the session, as far as
	// Kept does not name it; nil if the record does not show it.
	Texts [][]byte

	// Summarized: the messages that stay word for word, by name; and the first one that does with all behind it.
	Kept      []string
	KeptSince string
}

// StepKind is what happened.
type StepKind int

// The kinds of steps.
const (
	Told       StepKind = iota // the model was given a text: a prompt, or what the harness added
	Said                       // the model wrote a text, or called one of the harness's own tools
	Called                     // the model called a tool of an MCP server
	Returned                   // a call returned, of any tool
	Summarized                 // the session was replaced by a summary of it
)
