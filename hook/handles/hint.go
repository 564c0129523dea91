package handles

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Hint returns one line for the model about a call that the server failed, "" if nothing is certain enough. args
// are those of the call, as InArguments returns them. known reports whether the model had a string from
// elsewhere, such as a prompt; nil knows none.
//
// Nothing is said unless all of these hold: the argument is a whole string that was seen nowhere in the session;
// the server gave out ids of that shape, and a member of the argument's name held one; the ids of that shape are
// far from each other; and exactly one of them is near.
func (m *Memory) Hint(now int, server string, args []Seen, known func(string) bool) string {
	server = nameOf(server)
	for _, s := range args {
		if server == "" || s.Field == "" || m.has(s.ID) || known != nil && known(s.ID) {
			continue
		}
		not := fmt.Sprintf("wsi: the %s you passed is not one that %s returned; ", s.Field, server)
		if h, what := m.meant(s); h != nil {
			return not + fmt.Sprintf("%s %s (%s)", what, h.ID, h.source(now))
		}
		if h := m.otherKind(s); h != nil {
			return not + fmt.Sprintf("it takes ids like %s (%s)", h.ID, h.source(now))
		}
	}
	return ""
}

// minUses is how often a member must have held ids of one kind before anything else counts as a mistake.
const minUses = 3

// otherKind returns the newest id that a member takes, if it always took ids of one shape that the server had
// returned, and an argument is of another one.
func (m *Memory) otherKind(s Seen) (newest *Handle) {
	var shape Shape
	for f := range m.passed {
		if f.name != s.Field {
			continue
		}
		if shape != (Shape{}) || f.shape == (Shape{}) {
			return nil // it took ids of two shapes, or other things
		}
		shape = f.shape
	}
	if s.Shape == shape || shape.Kind == Digits || m.passed[field{s.Field, shape}] < minUses || strings.HasPrefix(s.ID, shape.Prefix) && shape.Prefix != "" {
		return nil
	}
	for i := range m.Handles {
		h := &m.Handles[i]
		if h.Shape != shape || h.Uses == 0 {
			continue
		}
		if !h.Returned {
			return nil // the server takes ids of others
		}
		if newest == nil || h.Last > newest.Last {
			newest = h
		}
	}
	return newest
}

// source says in which call an id was seen first.
func (h *Handle) source(now int) string {
	ago := now - h.First
	text := strconv.Itoa(ago) + " calls ago"
	if ago == 1 {
		text = "1 call ago"
	}
	if h.Tool != "" {
		text = h.Tool + ", " + text
	}
	return text
}

// meant returns the one id that an argument must have meant, and how they differ; nil if there is none, or more.
func (m *Memory) meant(s Seen) (h *Handle, what string) {
	if h := m.rounded(s); h != nil {
		return h, "it is rounded from"
	}
	if h := m.cut(s); h != nil {
		return h, "it is the beginning of"
	}
	h, n := m.near(s)
	switch {
	case h == nil:
		return nil, ""
	case n == 1:
		return h, "it differs in 1 place from"
	}
	return h, fmt.Sprintf("it differs in %d places from", n)
}

// candidates are the ids that an argument of this name may mean.
func (m *Memory) candidates(name string, suits func(h *Handle) bool) (all []*Handle) {
	var shape Shape
	held := false
	for i := range m.Handles {
		h := &m.Handles[i]
		if h.Shape != shape { // most are of one shape: it is looked up once
			shape, held = h.Shape, m.fields[field{name, h.Shape}] > 0
		}
		if held && suits(h) {
			all = append(all, h)
		}
	}
	return all
}

// rounded returns the id that became a floating-point number on its way.
func (m *Memory) rounded(s Seen) *Handle {
	if s.Shape.Kind != Digits {
		return nil
	}
	all := m.candidates(s.Field, func(h *Handle) bool {
		f, err := strconv.ParseFloat(h.ID, 64)
		return err == nil && h.Shape.Kind == Digits && strconv.FormatFloat(f, 'f', -1, 64) == s.ID
	})
	if len(all) != 1 {
		return nil
	}
	return all[0]
}

// cut returns the id of which only the beginning is left, at least 40 bits of it.
func (m *Memory) cut(s Seen) *Handle {
	all := m.candidates(s.Field, func(h *Handle) bool {
		rest, ok := strings.CutPrefix(h.ID, s.ID)
		switch {
		case !ok || rest == "":
			return false
		case h.Shape.Kind == UUID, h.Shape.Kind == Hex:
			return len(s.ID) >= 8
		case h.Shape.Kind == Digits:
			return false
		}
		return len(s.ID)-len(h.Shape.Prefix) >= 10
	})
	if len(all) != 1 || !m.apart(all[0].Shape) || !m.random(all[0], len(s.ID)) {
		return nil
	}
	return all[0]
}

// near returns the id from which an argument differs in at most a few places, and in how many.
func (m *Memory) near(s Seen) (nearest *Handle, distance int) {
	const margin = 4 // the next one must be so much further away
	most := allowed(len(s.ID))
	distance = most + margin + 1
	for _, h := range m.candidates(s.Field, func(h *Handle) bool { return h.Shape.Kind != Digits && alike(h.Shape, s) }) {
		d := within(s.ID, h.ID, most+margin)
		switch {
		case d < distance:
			if nearest != nil && distance-d < margin {
				return nil, 0
			}
			nearest, distance = h, d
		case d <= most+margin && d-distance < margin:
			return nil, 0
		}
	}
	if nearest == nil || distance > most || !m.apart(nearest.Shape) || !m.random(nearest, len(nearest.ID)) {
		return nil, 0
	}
	return nearest, distance
}

// allowed is in how many places a mistyped id of a length may differ.
func allowed(length int) int { return min(4, max(2, length/10)) }

// alike reports whether a mistyped id may be of a shape.
func alike(shape Shape, s Seen) bool {
	switch shape.Kind {
	case UUID, Hex:
		return len(s.ID) >= shape.Length-allowed(shape.Length) && len(s.ID) <= shape.Length+allowed(shape.Length)
	case Prefixed, Mixed:
		return s.Shape.Kind != UUID && s.Shape.Kind != Digits
	case Digits:
	}
	return false
}

// minBits is how much of an id must be its own, in hundredths of a bit.
const minBits = 6000

// random reports whether the first n bytes of an id have enough of their own behind what it shares with the
// others of its shape.
func (m *Memory) random(h *Handle, n int) bool {
	shared := 0
	for i := range m.Handles {
		if o := &m.Handles[i]; o != h && o.Shape == h.Shape {
			shared = max(shared, common(o.ID, h.ID), commonEnd(o.ID, h.ID))
		}
	}
	shared = max(shared, len(h.Shape.Prefix))
	if n < len(h.ID) { // a beginning says less, but it is exact
		return h.Shape.bits(n-shared) >= minBits/2
	}
	return h.Shape.bits(len(h.ID)-shared) >= minBits
}

// apart reports whether the ids of a shape are far from each other: counters, sequences and times are not. Once
// they were not, they never are again.
func (m *Memory) apart(shape Shape) bool {
	if m.off[shape] {
		return false
	}
	var ids []string
	for i := range m.Handles {
		if m.Handles[i].Shape == shape {
			ids = append(ids, m.Handles[i].ID)
		}
	}
	if len(ids) > 1 && tooClose(ids) {
		m.off[shape] = true
	}
	return !m.off[shape]
}

// tooClose reports whether two ids are nearer to each other than three times what a mistyped one may differ. All
// pairs of a few are compared; of many those that begin or end alike, as generated ids that are near do.
func tooClose(ids []string) bool {
	const few, next = 128, 4
	pairs := func(ids []string, reach int) bool {
		for i, a := range ids {
			for _, b := range ids[i+1 : min(len(ids), i+1+reach)] {
				limit := 3*allowed(len(a)) - 1
				if within(a, b, limit) <= limit {
					return true
				}
			}
		}
		return false
	}
	if len(ids) <= few {
		return pairs(ids, few)
	}
	slices.Sort(ids)
	if pairs(ids, next) {
		return true
	}
	slices.SortFunc(ids, func(a, b string) int { return strings.Compare(reversed(a), reversed(b)) })
	return pairs(ids, next)
}

func reversed(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}

func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func commonEnd(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// within returns in how many places two strings differ (insertions, deletions, replacements, neighbours that
// changed places), or limit+1 if it is more than limit.
func within(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	var space [3 * (maxLength + 1)]int // ids are not longer: nothing is allocated for each pair
	rows := space[:]
	if len(b) > maxLength {
		rows = make([]int, 3*(len(b)+1))
	}
	n := len(b) + 1
	before, last, row := rows[:n], rows[n:2*n], rows[2*n:3*n]
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		from, to := max(1, i-limit), min(len(b), i+limit) // beyond these it is more than limit
		row[from-1] = limit + 1
		if from == 1 {
			row[0] = i
		}
		least := row[from-1]
		for j := from; j <= to; j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, before[j-2]+1)
			}
			row[j] = d
			least = min(least, d)
		}
		if to < len(b) {
			row[to+1] = limit + 1
		}
		if least > limit {
			return limit + 1
		}
		before, last, row = last, row, before
	}
	return min(last[len(b)], limit+1)
}
