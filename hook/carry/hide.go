package carry

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
)

// Hide returns what a model reads of a result with every stored value of the rule's server replaced by
// its alias. output is raw JSON or text; it is nil if nothing had to be replaced. Of values of which one
// is within another the longer counts. It goes through the output once, however many values are stored.
func Hide(rule *Rule, state *State, output []byte) []byte {
	if !rule.Alias {
		return nil
	}
	text, at := unescape(output)
	var hidden []byte
	done := 0
	for _, f := range occurrences(text, state.values(rule.Server)) {
		from, to := f.from, f.to
		if at != nil {
			from, to = at[from], at[to]
		}
		if from < done {
			continue
		}
		hidden = append(append(hidden, output[done:from]...), Alias(string(text[f.from:f.to]))...)
		done = to
	}
	if done == 0 {
		return nil
	}
	return append(hidden, output[done:]...)
}

// place is where a value is in a text.
type place struct{ from, to int }

// occurrences returns where values are in a text, the first and of those that begin together the longest
// first. It looks at the ends of words (Karp and Rabin 1987): signed values begin alike.
func occurrences(text []byte, values []Candidate) (found []place) {
	const base uint32 = 16777619
	var most uint32 = 1 // base to the power of minShown
	for range minShown {
		most *= base
	}
	ends := make(map[uint32][]string)
	var seen [1 << 10]uint64 // a quick no for nearly every place
	for _, c := range values {
		if len(c.Value) < minShown {
			continue
		}
		var h uint32
		for _, b := range []byte(c.Value[len(c.Value)-minShown:]) {
			h = h*base + uint32(b)
		}
		if !slices.Contains(ends[h], c.Value) {
			ends[h] = append(ends[h], c.Value)
			seen[h>>22] |= 1 << (h >> 16 & 63)
		}
	}
	if len(ends) == 0 {
		return nil
	}
	var h uint32
	for i, b := range text {
		h = h*base + uint32(b)
		if i >= minShown {
			h -= most * uint32(text[i-minShown])
		}
		if seen[h>>22]&(1<<(h>>16&63)) == 0 {
			continue
		}
		for _, value := range ends[h] {
			if bytes.HasSuffix(text[:i+1], []byte(value)) {
				found = append(found, place{i + 1 - len(value), i + 1})
			}
		}
	}
	slices.SortFunc(found, func(a, b place) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to)) })
	return found
}

// unescape returns a text in which nothing is escaped that JSON's writers escape of words, at any depth of
// JSON within JSON, and where each of its bytes begins, the end included; nil if that changes nothing.
// PHP writes \/ and .NET \u002B (System.Text.Json) where others write / and +.
func unescape(raw []byte) (text []byte, at []int) {
	if !bytes.Contains(raw, []byte(`\/`)) && !bytes.Contains(raw, []byte(`\u00`)) {
		return raw, nil
	}
	text, at = make([]byte, 0, len(raw)), make([]int, 0, len(raw)+1)
	for i := 0; i < len(raw); {
		b, n := raw[i], 1
		if b == '\\' {
			b, n = escape(raw[i:])
		}
		text, at = append(text, b), append(at, i)
		i += n
	}
	return text, append(at, len(raw))
}

// escape returns the character that a raw text begins with, which is a backslash, and its length.
func escape(raw []byte) (b byte, n int) {
	k := 0
	for k < len(raw) && k < maxEscapes && raw[k] == '\\' {
		k++
	}
	switch rest := raw[k:]; {
	case len(rest) > 0 && rest[0] == '/':
		return '/', k + 1
	case len(rest) >= 5 && string(rest[:3]) == "u00":
		if c, err := strconv.ParseUint(string(rest[3:5]), 16, 7); err == nil && c > ' ' {
			return byte(c), k + 5
		}
	}
	return '\\', 1
}

// maxEscapes is how many backslashes one character has before it: those of JSON five deep.
const maxEscapes = 32
