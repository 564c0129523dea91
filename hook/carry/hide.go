package carry

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
)

// Hide returns output, which is raw JSON or text, with every stored value of the rule's server replaced by
// its alias. It returns nil if there is nothing to replace. If one value contains another, the longer one
// counts. It scans the output once, however many values are stored.
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

type place struct{ from, to int }

// occurrences returns the places of values in a text, ordered by start, the longest first. It hashes the
// ends of the values (Karp and Rabin 1987), because signed values begin alike.
func occurrences(text []byte, values []Candidate) (found []place) {
	const base uint32 = 16777619
	var most uint32 = 1 // base to the power of minShown
	for range minShown {
		most *= base
	}
	ends := make(map[uint32][]string)
	var seen [1 << 10]uint64 // a filter that rules out nearly every place
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

// unescape returns raw without JSON escapes of printable characters, at any depth of JSON within JSON. at
// holds the offset in raw of each byte of text, and of the end; it is nil if text is raw. PHP writes \/ for /
// and .NET (System.Text.Json) writes \u002B for +.
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

// escape decodes the escape sequence at the start of raw. It returns the character and the sequence's length.
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

// maxEscapes bounds the backslashes before one character: JSON nested five deep.
const maxEscapes = 32
