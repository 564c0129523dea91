package carry

import "slices"

// Pending is a call with a rule that shows or collects members of its result's _meta, which no hook has seen yet.
type Pending struct {
	Session string   `json:"session"` // the harness's id of it
	Agent   string   `json:"agent,omitempty"`
	ID      string   `json:"id"`
	Name    string   `json:"name"`           // of the tool, as the harness writes it
	Args    string   `json:"args,omitempty"` // as the event has them, "" if they are long
	Kept    bool     `json:"kept,omitempty"` // the values that rules collect are kept
	Tries   int      `json:"tries,omitempty"`
	Files   []string `json:"files"` // as in Note
	From    []int64  `json:"from"`
}

const (
	maxPending     = 64
	maxPendingArgs = 512 // bytes
	// maxPendingTries is how many hooks look for a result. Looking is cheap: each reads only what is new.
	maxPendingTries = 16
)

// Defer remembers a call until a hook has seen its result's _meta, and reports whether it does: it gives up after some tries.
func (s *State) Defer(p Pending) bool {
	s.Undefer(p)
	if p.Tries++; p.Tries > maxPendingTries {
		return false
	}
	if len(p.Args) > maxPendingArgs {
		p.Args = ""
	}
	s.Pending = append(s.Pending, p)
	s.Pending = s.Pending[max(0, len(s.Pending)-maxPending):]
	return true
}

// Undefer forgets a call, and reports whether it was remembered.
func (s *State) Undefer(p Pending) bool {
	n := len(s.Pending)
	s.Pending = slices.DeleteFunc(s.Pending, p.SameCall)
	return len(s.Pending) < n
}

// Keep records that the values of a call's result are kept, and reports whether the call was remembered.
func (s *State) Keep(p Pending) bool {
	i := slices.IndexFunc(s.Pending, p.SameCall)
	if i >= 0 {
		s.Pending[i].Kept = true
	}
	return i >= 0
}

// SameCall reports whether both are the same call.
func (p Pending) SameCall(o Pending) bool { return o.Agent == p.Agent && o.ID == p.ID }
