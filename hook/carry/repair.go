package carry

import (
	"slices"
	"strings"
	"unicode"

	"wsi/internal/jsonraw"
)

// Candidate is a stored value that a supplied one may be a damaged copy of. Only the newest values of a chain
// are candidates, since an older one would rewind the server's session.
type Candidate struct {
	Value string
	Key   string // the name of its chain, for Mode.Keyed
}

// Mode says how the stored value for a supplied one is found. With the zero value only one that is very near is.
type Mode struct {
	Signed bool   // the value has a payload and a signature
	Keyed  bool   // another argument of the call names the chain
	Key    string // that name

	// Session is set for a call that opens a session: the member of a signed value that names the
	// server's session. A value that cannot be repaired is then denied, because the workflow-server
	// uses a damaged value as it is, or silently starts a new session (main branch of 2026-05-13).
	Session string
}

const (
	maxSupplied = maxValue + 256

	// maxPlaces is in how many places an opaque value may differ from a stored one, and margin how much further away every other
	// stored value must be. LocalRouter's temporary ids differ in six characters.
	maxPlaces, margin = 2, 4
)

// Repair decides about a value that a call carries. Candidates are the values of the call's session and
// server, the newest first; for a call that opens a session, those of the user's other sessions follow.
// The caller must not pass a value that is stored but not a candidate any more.
//
// A value is replaced only if it can be a copy of just one candidate. Signed values are told apart by their
// signatures: distance or a common beginning is not enough. Two good values of a session were measured to be
// at least 53 edits apart, 48 of them in the signature, and had up to 350 leading characters in common.
// Damage was up to 104 edits.
func Repair(supplied string, candidates []Candidate, mode Mode) Decision {
	isStored := func(value string) bool {
		return slices.ContainsFunc(candidates, func(c Candidate) bool { return c.Value == value })
	}
	switch bare := unwrap(supplied); {
	case mode.Keyed:
		return repairByKey(supplied, candidates, mode.Key)
	case isStored(supplied):
		return left("equals a stored value")
	case len(supplied) > maxSupplied:
		return left("too long for a value")
	case isStored(bare):
		return repaired("a stored value with characters around it", bare)
	case isPlaceholderText(supplied): // only now: a value in angle brackets looks like a placeholder
		return left(noValue)
	case mode.Signed:
		return repairSigned(supplied, candidates, mode)
	}
	return repairByDistance(supplied, candidates)
}

func left(why string) Decision { return Decision{Action: Left, Why: why} }

func repaired(why, value string) Decision {
	return Decision{Action: Repaired, Why: why, Value: value}
}

// unwrap removes white space from a supplied value, and quotes, backticks and brackets around it.
func unwrap(supplied string) string {
	s := strings.Map(func(r rune) rune {
		if r <= ' ' || r > '~' {
			return -1
		}
		return r
	}, supplied)
	return strings.TrimFunc(s, func(r rune) bool { return !isWord(r) })
}

// isWord reports whether r is in the alphabet of base64url, which all known values use.
func isWord(r rune) bool {
	return '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' || r == '_' || r == '-'
}

// repairByKey replaces any value that differs from the newest one of the chain that the call names. It is
// for servers that refuse a value with the name of another chain, so it never replaces a good value.
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
		return left("nothing is stored for what the call names")
	case isPlaceholderText(supplied):
		return left(noValue)
	}
	return repaired("another argument names what the value belongs to", candidates[newest].Value)
}

// repairByDistance repairs opaque values. At most one in eight characters may differ.
func repairByDistance(supplied string, candidates []Candidate) Decision {
	value := nearest(supplied, candidates, maxPlaces, margin, func(value string) int {
		return min(maxPlaces, len(value)/8)
	})
	if value == "" {
		return left("it is similar to no stored value, or to several")
	}
	return repaired("only one stored value is similar to it", value)
}

// nearest returns the candidate within limit of supplied if every other candidate is at least margin further away; "" if
// there is none. limit returns most or less.
func nearest(supplied string, candidates []Candidate, most, margin int, limit func(value string) int) (value string) {
	far := min(most+margin, maxApart)
	best, next := far+1, far+1
	for i := range candidates {
		v := candidates[i].Value
		if v == value { // also stored in another session
			continue
		}
		switch d := apart(supplied, v, far); {
		case d < best:
			best, next, value = d, best, v
		case d < next:
			next = d
		}
	}
	if value == "" || best > limit(value) || next < best+margin {
		return ""
	}
	return value
}

// maxApart bounds every distance, and so the time to compute it.
const maxApart = 64

// apart returns the edit distance of a and b, insertions, deletions and replacements counted alike,
// or limit+1 if it is more than limit. For each number of edits it computes the furthest point that each
// diagonal reaches (Ukkonen 1985), so the time depends on the limit more than on the lengths.
func apart[T string | []byte](a, b T, limit int) int {
	limit = min(limit, maxApart)
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	const unreached = -1 << 30
	var rows [2][2*maxApart + 3]int // the point on diagonal k is at k+origin
	const origin = maxApart + 1
	for i := range rows {
		for k := range rows[i] {
			rows[i][k] = unreached
		}
	}
	end := len(b) - len(a) // the diagonal of the two ends
	for edits := 0; edits <= limit; edits++ {
		was, now := &rows[(edits+1)&1], &rows[edits&1]
		for k := -edits; k <= edits; k++ {
			at := max(was[origin+k]+1, was[origin+k-1], was[origin+k+1]+1)
			if edits == 0 {
				at = 0
			}
			at = min(at, len(a), len(b)-k)
			if at >= 0 && at+k >= 0 {
				for at < len(a) && at+k < len(b) && a[at] == b[at+k] {
					at++
				}
			}
			now[origin+k] = at
		}
		if now[origin+end] >= len(a) {
			return edits
		}
	}
	return limit + 1
}

func sameHead(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func sameTail(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// HandsOff returns why an argument of a call is never injected or repaired, whatever a rule says, or "". The
// user makes decisions; a cursor says what the model has already read; a destructive tool must destroy
// exactly what the model asked for. args are the call's arguments, nil if they are not known: what a tool
// does may depend on its argument "action".
func HandsOff(tool, argument string, args []byte) (why string) {
	path := strings.Split(argument, ".")
	last := words(path[len(path)-1])
	does := append(words(tool), words(jsonraw.In(args).String("action"))...) // none if they are not known
	for _, mark := range []struct {
		of, words []string
		why       string
	}{
		{last, decisions, "the argument is a decision of the user"},
		{last, cursors, "the argument is a cursor"},
		{does, answers, "the tool takes a decision of the user"},
		{does, destroys, "the tool destroys or stops something"},
	} {
		if slices.ContainsFunc(mark.of, func(w string) bool { return slices.Contains(mark.words, w) }) {
			return mark.why
		}
	}
	return ""
}

// The words that mark a name: those of the known servers, and similar ones.
var (
	decisions = []string{
		"approval", "approve", "approved", "choice", "confirm", "confirmation", "consent", "decision", "input",
		"option", "options", "permission", "permit", "request", "verdict",
	}
	answers  = []string{"approval", "approve", "consent", "permission", "permit", "verdict"}
	cursors  = []string{"after", "before", "cursor", "offset", "page", "since"}
	destroys = []string{
		"abort", "archive", "cancel", "clear", "close", "delete", "destroy", "drop", "erase", "interrupt", "kill",
		"purge", "remove", "reset", "revoke", "stop", "terminate", "wipe",
	}
)

// words splits a name like claude_code_check, nextCursor, MCPDelete or read-only into words, in lower case.
func words(name string) []string {
	var found []string
	start := 0
	runes := []rune(name)
	add := func(end int) {
		if end > start {
			found = append(found, strings.ToLower(string(runes[start:end])))
		}
		start = end
	}
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			add(i)
			start = i + 1
		case unicode.IsUpper(r) && i > 0 && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			add(i)
		}
	}
	add(len(runes))
	return found
}
