package carry

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"

	"wsi/internal/jsonraw"
)

// Limits of the repair of signed values, from 300 corruptions of each kind of 42 real ones.
const (
	maxInside  = 12 // places in which a payload may differ
	minText    = 4  // places in which a value's text may differ, at least
	maxText    = 32 // and at most: two good values were never nearer than 53
	textMargin = 16 // how much further away every other value must be
	maxForged  = 12 // places in which a complete signature may differ; two good ones were 48 apart
	minTail    = 8  // characters at the end that distinguish signatures
)

type signed struct{ value, body, signature string }

func takeApart(value string) signed {
	body, signature := split(value)
	return signed{value, body, signature}
}

func repairSigned(supplied string, candidates []Candidate, mode Mode) Decision {
	stored := make([]signed, 0, len(candidates))
	known := make(map[string]bool, len(candidates))
	for _, c := range candidates {
		if s := takeApart(c.Value); len(s.signature) >= minSignature && !known[c.Value] {
			known[c.Value] = true
			stored = append(stored, s)
		}
	}
	s := takeApart(supplied)
	if s.signature == "" { // only the dot may be missing or mistyped
		for i := range stored {
			if body, ok := strings.CutSuffix(supplied, stored[i].signature); ok {
				s.body, s.signature = body, stored[i].signature
			}
		}
	}
	d, mixed := s.restore(stored)
	if d.Action == Left && mode.Session != "" && s.damages(stored, mode.Session, mixed) {
		return Decision{Action: Denied, Why: "the value is too damaged to repair; the server would continue from it or open a new session", ModelNotice: "the value is damaged, and wsi cannot repair it; copy the whole value again"}
	}
	return d
}

// restore finds the one value that s is a copy of. mixed is true if s is made of two values.
func (s *signed) restore(stored []signed) (d Decision, mixed bool) {
	bySignature := only(stored, func(c *signed) bool { return c.signature == s.signature })
	byBody := only(stored, func(c *signed) bool { return c.body == s.body })
	switch {
	case bySignature != nil && bySignature == byBody: // only the dot differs
		return repaired("a stored value without its dot", bySignature.value), false
	case bySignature != nil:
		switch like := s.compare(bySignature, stored); {
		case byBody != nil, like == another:
			return left("it has the payload of one value and the signature of another"), true
		case like == same:
			return s.accept(bySignature, stored, "its signature is a stored one")
		}
	case byBody != nil:
		return s.accept(byBody, stored, "its payload is a stored one")
	}
	if c := s.byText(stored); c != nil {
		if s.isNearerToOther(c, stored) {
			return left("its signature is like one stored value's, its payload like another's"), true
		}
		return s.accept(c, stored, "only one stored value is similar to it")
	}
	return left("it is similar to no stored value, or to several"), false
}

// accept makes the last checks before s is replaced by c.
func (s *signed) accept(c *signed, stored []signed, why string) (d Decision, mixed bool) {
	if s.isSplice(c, stored) || s.signedLikeOther(c, stored) {
		return left("begins like one stored value and ends like another"), true
	}
	return repaired(why, c.value), false
}

func only(stored []signed, is func(*signed) bool) *signed {
	var found *signed
	for i := range stored {
		if c := &stored[i]; is(c) {
			if found != nil {
				return nil
			}
			found = c
		}
	}
	return found
}

// likeness compares the payload of a value with that of the stored value that has its signature.
type likeness int

const (
	unlike  likeness = iota // not known: it does not decode, or is equally far from two
	same                    // the same except for typing errors
	another                 // the payload of another value, stored or not
)

// compare compares the payload of s with those of c, which has the same signature, and of all others.
func (s *signed) compare(c *signed, stored []signed) likeness {
	mine := payloadIn(s.body)
	if mine == nil {
		return unlike
	}
	if s.countsDiffer(c) {
		return another
	}
	places, says := apart(mine, payloadIn(c.body), maxInside), same
	for i := range stored {
		o := &stored[i]
		if o == c {
			continue
		}
		switch d := apart(mine, payloadIn(o.body), min(places, maxInside)); {
		case d < places:
			return another
		case d == places:
			says = unlike
		}
	}
	if places > maxInside {
		return unlike
	}
	return says
}

// countsDiffer reports whether the payload of s differs from c's in two numbers or more. Then it is an older value
// of c's chain, with another count and time, and not a typing error.
func (s *signed) countsDiffer(c *signed) bool {
	mine, ok := Decode(s.value)
	theirs, was := Decode(c.value)
	if !ok || !was {
		return false
	}
	differ := 0
	for _, m := range theirs.members {
		member, _ := jsonraw.Unquote(m.Key)
		n, is := mine.Number(member)
		if o, was := theirs.Number(member); is && was && n != o {
			differ++
		}
	}
	return differ > 1
}

// isSplice reports whether s is the beginning of one stored value and the end of another, one of them c.
func (s *signed) isSplice(c *signed, stored []signed) bool {
	head, tail := sameHead(s.value, c.value), sameTail(s.value, c.value)
	return slices.ContainsFunc(stored, func(o signed) bool {
		oHead, oTail := sameHead(s.value, o.value), sameTail(s.value, o.value)
		return oHead > head && oHead+tail >= len(s.value) ||
			oTail > tail && oTail >= minTail && head+oTail >= len(s.value)
	})
}

func (s *signed) signedLikeOther(c *signed, stored []signed) bool {
	return slices.ContainsFunc(stored, func(o signed) bool {
		return o.value != c.value && len(s.signature) >= minSignature &&
			apart(s.signature, o.signature, maxForged) <= maxForged
	})
}

func (s *signed) isNearerToOther(c *signed, stored []signed) bool {
	places := apart(s.body, c.body, maxApart)
	return slices.ContainsFunc(stored, func(o signed) bool {
		return o.value != c.value && places > 0 && apart(s.body, o.body, places-1) < places
	})
}

// byText returns the only candidate whose text is near s. A complete signature that is not near the
// candidate's belongs to another value, however similar the rest is.
func (s *signed) byText(stored []signed) *signed {
	signedBy := func(c *signed) bool {
		return len(s.signature) != len(c.signature) || apart(s.signature, c.signature, maxForged) <= maxForged
	}
	candidates := make([]Candidate, len(stored))
	for i := range stored {
		candidates[i].Value = stored[i].value
	}
	value := nearest(s.value, candidates, maxText, textMargin, func(value string) int {
		return max(minText, min(len(value)*6/100, maxText))
	})
	if c := only(stored, func(o *signed) bool { return o.value == value }); c != nil && signedBy(c) {
		return c
	}
	return nil
}

// damages reports whether s would damage the session of a stored value: s names the session but is not a
// value of it. A value that may be good, though never seen, is left to the server. mixed says that s is made
// of two values.
func (s *signed) damages(stored []signed, member string, mixed bool) bool {
	var known []Payload
	for i := range stored {
		if in, ok := Decode(stored[i].value); ok {
			known = append(known, in)
		}
	}
	return s.names(known, member) && (mixed || !s.isSound(known, member))
}

// names reports whether s contains the name of a known session. It tries every base64 offset, because damage
// shifts the text after it.
func (s *signed) names(known []Payload, member string) bool {
	var sessions [][]byte
	for _, in := range known {
		if id := in.Text(member); len(id) >= 8 {
			sessions = append(sessions, []byte(id))
		}
	}
	text := []byte(s.value)
	for i, b := range text {
		if !isWord(rune(b)) {
			text[i] = 'A'
		}
	}
	for offset := 0; offset < 4 && offset < len(text); offset++ {
		part := text[offset:]
		raw := make([]byte, len(part))
		n, _ := base64.RawURLEncoding.Decode(raw, part[:len(part)/4*4]) // text has only characters of the alphabet
		if slices.ContainsFunc(sessions, func(id []byte) bool { return bytes.Contains(raw[:n], id) }) {
			return true
		}
	}
	return false
}

// isSound reports whether s may be a good value that was never seen: its payload and signature have the form
// of a known value. Its session may have been opened without a hook, with a known one as its parent.
func (s *signed) isSound(known []Payload, member string) bool {
	in, ok := Decode(s.value)
	return ok && slices.ContainsFunc(known, func(k Payload) bool {
		return in.Text(member) != "" && in.alike(k) &&
			len(in.Signature) == len(k.Signature) && isHex(in.Signature) == isHex(k.Signature)
	})
}

// alike reports whether two payloads have the same form: members that both have are numbers in both or in
// neither, and UUIDs in both or in neither.
func (in Payload) alike(other Payload) bool {
	for _, m := range other.members {
		name, _ := jsonraw.Unquote(m.Key)
		if in.members.Get(name) == nil {
			continue
		}
		_, number := in.Number(name)
		if _, was := other.Number(name); was != number {
			return false
		}
		if uuid.Matches(other.Text(name)) != uuid.Matches(in.Text(name)) {
			return false
		}
	}
	return true
}

const uuid Pattern = `^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`

func isHex(s string) bool { return strings.Trim(s, "0123456789abcdef") == "" }
