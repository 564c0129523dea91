package harnesses

// Rejected is the error of an Accepts: for what a harness drops a file of hooks.
type Rejected struct {
	Effect string // "codex ignores the whole file"
	Place  string // "hooks.PreToolUse[0].hooks[1].timeout", "" for the file as a whole
	Why    string // "it is no whole number of seconds"
	Fix    string // what to change there
}

func (r Rejected) Error() string {
	if r.Place == "" {
		return r.Effect + ": " + r.Why
	}
	return r.Effect + ": " + r.Place + ": " + r.Why
}

// In puts a place before that of the error.
func (r Rejected) In(place string) Rejected {
	if r.Place != "" && r.Place[0] != '[' {
		place += "."
	}
	r.Place = place + r.Place
	return r
}
