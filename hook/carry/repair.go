package carry

import "strings"

// Candidate is a stored value that a supplied one may stand for: one of the newest of a chain, for
// an older one would rewind the server's session.
type Candidate struct {
	Value string
	Key   string // what names its chain; ByKey only
}

// By is what tells which stored value a supplied one stands for.
type By string

// The kinds of repair.
const (
	Never       By = "off"
	BySignature By = "signed"   // the value says something and is signed
	ByDistance  By = "distance" // it says nothing: only one that is very near, and alone there
	ByKey       By = "key"      // another argument of the call names the chain
)

// Mode is how values of a rule are repaired.
type Mode struct {
	By     By
	Max    int    // ByDistance: in how many places a value may differ
	Margin int    // ByDistance: how much further away every other must be
	Key    string // ByKey: what names the chain that the call means

	// Session is set for a call that opens a session: the member of a signed value that names the
	// server's one. There the workflow-server goes on with a damaged value, or begins anew without
	// a word (its main branch of 2026-05-13): what cannot be repaired is denied.
	Session string
}

// maxSupplied is the length up to which a supplied value is looked at.
const maxSupplied = maxValue + 256

// Repair decides what becomes of a value that a call carries. Candidates are those of the call's
// own session and server, the newest first; for a call that opens a session those of the user's
// other sessions follow.
// A value that is stored but no candidate any more the caller must leave alone without asking.
//
// A value is replaced only by one that it cannot be but a copy of: neither distance nor a common
// beginning tells signed values apart, their signatures do. Two good ones of a session were
// measured to be 53 edits apart at least, of which 48 in the signature, and to begin with up to 350
// characters in common; the damage that is to be repaired was up to 104 edits away.
func Repair(supplied string, candidates []Candidate, mode Mode) Decision {
	if mode.By == ByKey {
		return repairByKey(supplied, candidates, mode.Key)
	}
	for i := range candidates {
		if candidates[i].Value == supplied {
			return left("equals a stored value")
		}
	}
	switch {
	case mode.By != BySignature && mode.By != ByDistance:
		return left("the rule repairs nothing here")
	case len(supplied) > maxSupplied:
		return left("too long for a value")
	}
	bare := unwrap(supplied)
	for i := range candidates {
		if candidates[i].Value == bare {
			return repaired("a stored value in wrapping", bare, len(supplied)-len(bare))
		}
	}
	if placeholderText(supplied) { // not before: <value> looks like one
		return left(noValue)
	}
	if mode.By == ByDistance {
		return repairByDistance(supplied, candidates, mode)
	}
	return repairSigned(supplied, candidates, mode)
}

func left(why string) Decision { return Decision{Action: Left, Why: why} }

func repaired(why, value string, places int) Decision {
	return Decision{Action: Repaired, Why: why, Value: value, Places: max(1, places)}
}

// unwrap takes the blanks out of a supplied value, and from its ends whatever no value begins or
// ends with: quotes, backticks, brackets.
func unwrap(supplied string) string {
	s := strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' {
			return -1
		}
		return r
	}, supplied)
	return strings.TrimFunc(s, func(r rune) bool { return !word(r) })
}

// word tells whether r is of the alphabet of base64url, which all known values are written in.
func word(r rune) bool {
	return '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' || r == '_' || r == '-'
}

// repairByKey replaces whatever differs from the newest value of the chain that the call names. It
// is for values that are refused with any other name, so that nothing good is lost.
func repairByKey(supplied string, candidates []Candidate, key string) Decision {
	newest := -1
	for i := range candidates {
		if c := &candidates[i]; key != "" && c.Key == key {
			if c.Value == supplied {
				return left("equals a stored value")
			}
			if newest < 0 {
				newest = i
			}
		}
	}
	switch {
	case newest < 0:
		return left("no value is stored for what the call names")
	case placeholderText(supplied):
		return left(noValue)
	}
	value := candidates[newest].Value
	return repaired("the call names what the value belongs to", value, Apart(supplied, value, maxApart))
}

// repairByDistance is for values that say nothing. Of a short one too little is left to tell it by:
// it must be eight times as long as what may differ.
func repairByDistance(supplied string, candidates []Candidate, mode Mode) Decision {
	value, places := nearest(supplied, candidates, mode.Max, mode.Margin, func(value string) int {
		return min(mode.Max, len(value)/8)
	})
	if value == "" {
		return left("like no stored value")
	}
	return repaired("very near to one stored value only", value, places)
}

// nearest returns the candidate that supplied is within its limit of, if every other is at least
// margin further away, and how far it is; "" if there is none. No limit is more than most.
func nearest(supplied string, candidates []Candidate, most, margin int, limit func(value string) int) (value string, places int) {
	far := min(most+margin, maxApart) // an end of all counting, too
	best, next := far+1, far+1
	for i := range candidates {
		v := candidates[i].Value
		if v == value { // known to another session, too
			continue
		}
		switch d := Apart(supplied, v, far); {
		case d < best:
			best, next, value = d, best, v
		case d < next:
			next = d
		}
	}
	if value == "" || best > limit(value) || next < best+margin {
		return "", 0
	}
	return value, best
}
