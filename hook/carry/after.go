package carry

import (
	"slices"

	"wsi/internal/rawjson"
)

// After takes the value out of a call's result and makes it the newest of its chain. Where the
// result holds none it says so with Unseen; the caller knows whether it may still appear elsewhere.
func After(rule *Rule, state *State, call Call, result Result) Decision {
	state.Forget(call.ID, call.Agent)
	d := Settle(rule, state, rule.Note(call), result)
	d.Unseen = d.Unseen && !slices.Contains(rule.Without, call.Tool)
	return d
}

// Note returns what must be remembered of a call to settle its result later.
func (r *Rule) Note(call Call) Note {
	n := Note{Server: r.Server, Agent: call.Agent, ID: call.ID, Opens: r.opens(call.Tool), Keeps: slices.Contains(r.Keeps, call.Tool)}
	args, err := rawjson.Object(call.Args)
	if err != nil {
		return n
	}
	for _, name := range append([]string{r.Argument}, r.Unless...) {
		if raw := args.Get(name); raw != nil && !placeholder(raw) {
			n.Asked = digest(args.String(name))
			break
		}
	}
	raw := args.Get(r.Parent)
	n.Child = n.Opens && raw != nil && !placeholder(raw)
	return n
}

// Settle does After's work for a call that was noted earlier.
func Settle(rule *Rule, state *State, note Note, result Result) Decision {
	value, why := find(rule, result)
	if value == "" {
		return Decision{Did: Left, Why: why, Unseen: true}
	}
	d := digest(value)
	if d == note.Asked {
		return Decision{Did: Left, Why: "the result repeats the value of the call"}
	}
	i := target(state, note)
	switch {
	case i < 0:
		if known := state.chainWith(rule.Server, d); known >= 0 && state.Chains[known].Value == value {
			return Decision{Did: Left, Why: "already stored"}
		}
		state.open(Chain{Server: rule.Server, Agent: note.Agent, Child: note.Child, Value: value, Seen: []string{d}})
	case slices.Contains(state.Chains[i].Seen, d):
		return Decision{Did: Left, Why: "already stored"}
	case note.Asked != "" && state.Chains[i].Value != "" && note.Asked != digest(state.Chains[i].Value):
		// The answer to an older value: the chain has gone on since.
		state.Chains[i].Seen = slices.Insert(state.Chains[i].Seen, 0, d)
		return Decision{Did: Left, Why: "the chain has gone on since this call"}
	default:
		state.advance(i, value)
	}
	return Decision{Did: Captured, Value: value}
}

// GiveUp is for a result that Settle or After found no value in, when there is nowhere else to look.
// A result that opens a chain always hands one out, and one that the harness hides may have.
func GiveUp(state *State, note Note, result Result) {
	if !result.Error && (note.Opens || result.Hidden) {
		state.lose(note)
	}
}

// target returns the chain that a call's result continues, -1 if it begins one. A result continues
// the chain whose value the call carried, whoever made the call: that is how an agent finds the
// newest value after a sub-agent has worked with its chain.
func target(state *State, n Note) int {
	if n.Asked != "" {
		i := state.chainWith(n.Server, n.Asked)
		if i >= 0 && n.Opens && (n.Child || state.Chains[i].Agent != n.Agent) {
			return -1 // adopted by another agent: from here on they go separate ways
		}
		return i
	}
	if n.Opens {
		return -1
	}
	return state.chainOf(n.Server, n.Agent)
}
