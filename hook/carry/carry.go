// Package carry is the one engine: which value of which server is taken from a result and put into
// a call. It is pure: it works on the bytes it is given and on a State it is handed.
//
// It must not know harnesses, files, processes or the clock.
package carry

import "slices"

// Call is a tool call in no harness's dialect.
type Call struct {
	Agent string // the calling sub-agent, "" for the main agent; of a value that survives the session, the session
	ID    string // the harness's id of the call
	Tool  string // the server's own name of the tool
	Args  []byte // the arguments, a raw JSON object; nil if they are none
	Early bool   // the call before it is not answered yet: what it carries is understood, but nothing is put in

	// Lacks reports whether the tool's schema was seen and has no such argument; nil where no schemas are seen.
	Lacks func(argument string) bool

	// Others returns the states of the user's other sessions with a server, the one that changed last
	// first; nil if they cannot be asked for. It is called at most once, and only if it matters.
	Others func(server string) []State
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

// Change is what Before wants of a call: the same arguments but for some.
type Change struct {
	Args  []byte     // all arguments, raw JSON, the caller's bytes but for the values
	Set   []Argument // the ones that changed, as they are in Args
	Value string     // the value that was put in last
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
	Injected Action = "injected" // a value was put into the call
	Captured Action = "captured" // a value was taken from the result
	Noted    Action = "noted"    // the value is not visible yet; the call's id was noted
	Left     Action = "left"     // the call or result was left alone, for the reason in Why
	Repaired Action = "repaired" // a value that the call carried is nearly a stored one and stands for it
	Expanded Action = "expanded" // an alias that the call carried was replaced by its value
	Denied   Action = "denied"   // the call carries a damaged value and must not be made
)

// Decision is the outcome of Before, After or Repair.
type Decision struct {
	Action       Action
	Why          string // one short phrase, without any value
	ModelNotice  string // Left or Denied by Before: what the model is told, "" if the rule wants nothing said
	Change       Change // Injected, Repaired and Expanded by Before
	Value        string // Captured, and Repaired by Repair
	Places       int    // Repaired only: in how many places the value differed
	Shown        bool   // by After: the result shows a value
	Note         Note   // by After: what is to be noted of the call, if its value may still appear elsewhere
	Unseen       bool   // Left by After: the result shows no value, though the tool hands one out
	Final        bool   // Left by Before whatever the state is
	UnknownAlias bool   // Denied by Before: an alias of no value of the rule's, of another rule's perhaps

	Carries  bool // by Before: the call carries a value of the rule's, typed or put in
	NeverHad bool // Left by Before: no result of the session has shown a value of the rule's yet
}

// Changes tells whether the call is to be made with other arguments.
func (d Decision) Changes() bool { return len(d.Change.Set) > 0 }

// Near tells how near a rule came to doing something about a call or a result, for comparing decisions.
func (d Decision) Near() int {
	switch {
	case d.Action != Left:
		return 4
	case d.Carries, d.Shown: // it has what it is to have
		return 3
	case d.Why == takesNone, d.Why == handsNone:
		return 0
	case d.NeverHad, d.Unseen: // of another version of the server, perhaps
		return 1
	}
	return 2
}

// And is the decision about a call of which d was decided first and then, about another argument or by
// another rule, e: what is done outweighs what is left.
func (d Decision) And(e Decision) Decision {
	if d.Action == Denied || e.Action == Denied {
		if d.Action == Denied {
			return d
		}
		return e
	}
	out := d
	if d.Action == Left && (e.Action != Left || d.Why == takesNone) {
		out = e
	}
	out.Final = d.Final && e.Final
	out.Places = d.Places + e.Places
	out.Carries = d.Carries || e.Carries
	if d.ModelNotice == "" {
		out.ModelNotice = e.ModelNotice
	}
	if d.Changes() && e.Changes() {
		out.Change = Change{Args: e.Change.Args, Set: append(slices.Clip(d.Change.Set), e.Change.Set...), Value: e.Change.Value}
	}
	return out
}
