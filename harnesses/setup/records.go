package setup

import "time"

// Records is where a harness writes down which calls were made and what its hooks did, and how to read that.
type Records struct {
	Folder string   // the records are its files *.jsonl, at any depth
	Marks  []string // a line that says something of a hook or a call contains one of these
	Events []string // that come with each call that is made, and are matched with the name of its tool
	// Read returns what such a line says. Commands are those that may be named: a text with one of them can have the output of a
	// program behind it.
	Read func(line []byte, commands []string) []Receipt
}

// Receipt is what a line of a record says of one call, or of one run of a hook. It has no output, prompt or argument.
type Receipt struct {
	Outcome Outcome
	Line    string // the id of the line: a session that goes on with another one has copies of its lines
	Time    time.Time
	Session string
	Cwd     string // the folder in which the harness worked
	Call    string // the id of the call, or of the event
	Tool    string // of the call, or what else a matcher of the event is compared with

	Event, Command string // of a hook; no Command = the record does not name it
	Status         int    // the exit status of its program
	Took           time.Duration
}

// Outcome is what became of a call or a hook.
type Outcome int

// The outcomes.
const (
	Called   Outcome = iota + 1 // the model made a call
	Answered                    // the call has a result, and not an error
	Ran                         // the hook succeeded
	Failed                      // its program failed, with a status
	TimedOut                    // the harness ended it
	Blocked                     // it refused the call, or gave the model an error
	Stopped                     // it was ended; the record does not say which hook of the event, nor why
)
