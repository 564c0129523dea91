// Package carry is the one engine: which value of which server is taken from a result and put into
// a call. It is pure: it works on the bytes it is given and on a State it is handed.
//
// It must not know harnesses, files, processes or the clock.
package carry

// Call is a tool call in no harness's dialect.
type Call struct {
	Agent string // the calling sub-agent, "" for the main agent
	ID    string // the harness's id of the call
	Tool  string // the server's own name of the tool
	Args  []byte // the arguments, a raw JSON object; nil if they are none
}

// Result is a tool's result as far as the harness lets a hook see it. All fields are raw JSON.
type Result struct {
	Meta       []byte  // the result's _meta object
	Structured []byte  // structuredContent
	Blocks     []Block // content
	Error      bool    // isError
	Hidden     bool    // the harness shows nothing of the result's _meta, here or elsewhere
}

// Block is one content block.
type Block struct {
	Text []byte // a JSON string, quotes included
	Meta []byte // the block's own _meta object
}

// Change is what Before wants of a call: the same arguments but for one.
type Change struct {
	Args     []byte // all arguments, raw JSON, the caller's bytes but for the one value
	Argument string // the name of the one that changed
	Value    string // its new value
}

// Did is what the engine did with a call or a result.
type Did string

// What the engine can do.
const (
	Injected Did = "injected" // a value was put into the call
	Captured Did = "captured" // a value was taken from the result
	Noted    Did = "noted"    // the value is not visible yet; the call's id was noted
	Left     Did = "left"     // the call or result was left alone, for the reason in Why
	Repaired Did = "repaired" // a value that the call carried is nearly a stored one and stands for it
	Denied   Did = "denied"   // the call carries a damaged value and must not be made
)

// Decision is the outcome of Before, After or Repair.
type Decision struct {
	Did    Did
	Why    string // one short phrase, without any value
	Change Change // Injected only
	Value  string // Captured and Repaired only
	Places int    // Repaired only: in how many places the value differed
	Unseen bool   // Left by After: the result shows no value, though the tool hands one out
	Final  bool   // Left by Before whatever the state is
}
