// Package carry is the engine: it decides which value of which server is taken from a result and put into
// a call. It is pure: it works only on the bytes and the State that the caller passes.
//
// It must not know harnesses, files, processes or the clock.
package carry

import "slices"

// Call is a tool call, independent of any harness's format.
type Call struct {
	Agent string // the calling sub-agent, "" for the main agent; the session, for a value that outlives sessions
	ID    string // the harness's id of the call
	Tool  string // the server's own name of the tool
	Args  []byte // the arguments, a raw JSON object; nil if they are not an object
	Room  int    // how many bytes a collection may add, 0 for any number
	Early bool   // the previous call is not answered yet: a call that needs the value is denied

	// Lacks reports whether the tool's schema was seen and has no such argument. It is nil if no schema was seen.
	Lacks func(argument string) bool

	// Others returns the states of the user's other sessions with a server, the most recently changed
	// first. It is nil if they are not available. It is called at most once, and only when needed.
	Others func(server string) []State
}

// Result is the part of a tool's result that the harness shows to hooks. All fields are raw JSON.
type Result struct {
	Meta       []byte  // the result's _meta object
	Structured []byte  // structuredContent
	Blocks     []Block // content
	Error      bool    // isError
	Hidden     bool    // the harness never shows the result's _meta
	Room       int     // how many bytes the model can read of what rules show; 0 = any number, less = none
	Came       int64   // when the harness got it, in milliseconds since 1970; 0 = just now
}

// Block is one content block.
type Block struct {
	Text []byte // a JSON string, quotes included
	Meta []byte // the block's own _meta object
}

// Change is how Before changes a call's arguments.
type Change struct {
	Args  []byte     // all arguments, raw JSON: the caller's bytes except for the changed values
	Set   []Argument // the changed arguments, as they are in Args
	Value string     // the last value that was injected
}

// Argument is one argument of a call.
type Argument struct {
	Name  string
	Value []byte // raw JSON
}

// Action is what the engine did with a call or a result.
type Action string

// What the engine can do.
const (
	Injected Action = "injected"  // a value was put into the call
	Captured Action = "captured"  // a value was taken from the result
	Noted    Action = "noted"     // the value is not visible yet; the call's id was recorded
	Left     Action = "left"      // the call or result is unchanged, for the reason in Why
	Repaired Action = "repaired"  // a damaged value in the call was replaced by the stored one
	Denied   Action = "denied"    // the call must not be made, for the reason in Why
	Kept     Action = "kept"      // a value of the result was added to a collection
	Gathered Action = "collected" // all values of a collection were put into the call
	Told     Action = "shown"     // the model reads members of the result's _meta
)

// Decision is the outcome of Before, After or Repair.
type Decision struct {
	Action      Action
	Why         string // one short phrase, without any value
	ModelNotice string // Left or Denied by Before: the message to the model, "" for none
	Change      Change // Injected and Repaired by Before
	Value       string // Captured, and Repaired by Repair
	Kept        int    // of a result: the number of values that were added to collections
	Gathered    int    // of a call: the number of values that were put into it from collections
	Told        int    // of a result: the number of members of _meta that the model reads
	Shown       bool   // by After: the result shows a value
	Note        Note   // by After: what to record of the call if its value may still appear elsewhere
	Unseen      bool   // Left by After: the result shows no value, though the tool returns one
	Final       bool   // Left by Before, and the state does not matter

	Carries  bool // by Before: the call carries a value of the rule, typed or injected
	NeverHad bool // Left by Before: no result of the session has shown a value of the rule yet
}

// Changes reports whether the call's arguments change.
func (d Decision) Changes() bool { return len(d.Change.Set) > 0 }

// Relevance says how much a decision has to do with a call or its result, the least first.
type Relevance int

// The degrees of relevance.
const (
	Unnamed      Relevance = iota // the rule does not name the tool
	Unrelated                     // the rule does not concern the tool
	NoValueYet                    // no result has shown a value of the rule: the server may be of another version
	NotActed                      // the rule concerns the call, but no value was injected
	ValuePresent                  // the call carries a value, or the result shows one
	Acted                         // the engine did something
)

// Relevance returns how much the decision has to do with its call.
func (d Decision) Relevance() Relevance {
	switch {
	case d.Action != Left:
		return Acted
	case d.Carries, d.Shown:
		return ValuePresent
	case d.Why == notNamed:
		return Unnamed
	case d.Why == TakesNone, d.Why == handsNone:
		return Unrelated
	case d.NeverHad, d.Unseen:
		return NoValueYet
	}
	return NotActed
}

// And combines two decisions about one call: d was made first, e afterwards, about another argument or by
// another rule, or about another call. An action outweighs [Left], which outweighs none.
func (d Decision) And(e Decision) Decision {
	switch {
	case d.Action == Denied, e.Action == "":
		return d
	case e.Action == Denied, d.Action == "":
		return e
	}
	out := d
	if d.Action == Left && (e.Action != Left || d.Relevance() <= min(Unrelated, e.Relevance())) {
		out = e
	}
	out.Final = d.Final && e.Final
	out.Kept, out.Gathered, out.Told = d.Kept+e.Kept, d.Gathered+e.Gathered, d.Told+e.Told
	out.Carries = d.Carries || e.Carries
	if d.ModelNotice == "" {
		out.ModelNotice = e.ModelNotice
	}
	if d.Changes() && e.Changes() {
		out.Change = Change{Args: e.Change.Args, Set: append(slices.Clip(d.Change.Set), e.Change.Set...), Value: e.Change.Value}
	}
	return out
}
