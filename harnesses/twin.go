package harnesses

// Twin plays a harness's side of a tool call, for the doctor: the events it would write, the shell
// it would use, the rules by which it judges an answer. Facts, each from the harness's binary.
type Twin interface {
	// Before returns the event that the harness writes before the call.
	Before(Play) []byte
	// After returns the event it writes after the call, or nil where it fires none for such a
	// result. result is a raw CallToolResult.
	After(p Play, result []byte) []byte
	// Transcript returns what it appends to the transcript p.Transcript after the call: "" or
	// whole lines.
	Transcript(p Play, result []byte) []byte
	// Judge returns the arguments that the harness sends to the server, given the hook's standard
	// output and exit status. An error says in one sentence why it ignores the answer or blocks
	// the call.
	Judge(p Play, stdout []byte, exit int) (args []byte, err error)
	// Shell returns the argument vector with which the harness runs a registered command.
	Shell(goos, command string) []string
}

// Play is one call in a rehearsal.
type Play struct {
	Session, Agent, ID string
	Server, Tool       string // as registered, as the server calls it
	Args               []byte // raw JSON object as the model typed it
	Cwd, Transcript    string // absolute
}
