package carry

import "slices"

// After takes the value out of a call's result and makes it the newest of its chain. Where the
// result holds none it says so with Unseen; the caller knows whether it may still appear elsewhere.
func After(rule *Rule, state *State, call Call, result Result) Decision {
	state.Forget(call.ID, call.Agent)
	if slices.Contains(rule.Without, call.Tool) {
		return Decision{Did: Left, Why: "the tool hands out no value"}
	}
	return Settle(rule, state, rule.Note(call), result)
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
	if known := state.chainWith(rule.Server, d); known != nil {
		return Decision{Did: Left, Why: "already stored"}
	}
	c := state.target(note)
	switch {
	case c == nil:
		state.open(note, value)
	case note.Opens, c.Value == "", note.Asked == "", note.Asked == digest(c.Value):
		state.advance(c, note, value)
	case c.From == note.Asked && c.Minor && note.Changes:
		// Two answers to one value: the one that changed something is to go on from.
		state.advance(c, note, value)
	case slices.Contains(c.Branches, note.Asked) || !state.at(note, c):
		// Somebody goes on from a value that the chain has left behind: a way of their own.
		state.open(note, value)
	default:
		// The late answer to an older value: the chain has gone on since.
		c.Branches = remember(c.Branches, d)
		return Decision{Did: Left, Why: "the chain has gone on since this call"}
	}
	return Decision{Did: Captured, Value: value}
}

// at tells whether the note's agent is known to work with the chain.
func (s *State) at(n Note, c *Chain) bool {
	u := s.use(n.Server, n.Agent)
	return u != nil && u.Chain == c.ID
}

// GiveUp is for a result that Settle or After found no value in, when there is nowhere else to look.
// A result that opens a chain always hands one out, and one that the harness hides may have.
func GiveUp(state *State, note Note, result Result) {
	if !result.Error && (note.Opens || result.Hidden) {
		state.lose(note)
	}
}
